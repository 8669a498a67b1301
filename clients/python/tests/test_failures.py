"""Both clients against a server that answers as it is told."""

import asyncio
import json
import random
import socket
import struct
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import firstmile
from firstmile import _retries

POINT = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [102.6, 4.6]}, "properties": {}}
HTML = b"<html><title>502 Bad Gateway</title><body>nginx</body></html>"


def result(number):
    return json.dumps({**POINT, "id": number}).encode() + b"\n"


END = json.dumps({"type": "FeatureCollection", "properties": {"total_facilities": 3}}).encode() + b"\n"


class Server:
    """Answers one request after the other as it is told, the last way for ever."""

    def __init__(self, *answers):
        self.came = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                server.came.append((self.command, self.path, self.headers, body))
                answers[min(len(server.came), len(answers)) - 1](self)

            do_GET = do_POST = handle_one

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def close(self):
        self._http.shutdown()
        self._http.server_close()


def answer(status=200, body=b"", media_type="application/json", **headers):
    def send(handler):
        handler.send_response_only(status)
        for name, value in {"content-type": media_type, "content-length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return send


def found(value, **headers):
    return answer(200, json.dumps(value).encode(), **headers)


def problem(code, status, **headers):
    told = {"type": f"/problems/{code}", "title": code, "status": status, "detail": f"{code}.", "code": code}
    body = json.dumps({**told, "request_id": "r1"}).encode()
    return answer(status, body, "application/problem+json", **headers)


def lines(body, **headers):
    return answer(200, body, "application/x-ndjson", **headers)


def cut(body, media_type="application/x-ndjson"):
    """Begins an answer, and then loses the connection."""

    def send(handler):
        handler.send_response_only(200)
        handler.send_header("content-type", media_type)
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
        handler.wfile.flush()
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0))
        handler.close_connection = True

    return send


def gently_cut(body, media_type="application/x-ndjson"):
    """The same without a reset, so that all that was sent arrives."""

    def send(handler):
        handler.send_response_only(200)
        handler.send_header("content-type", media_type)
        handler.send_header("content-length", str(len(body) + 1))
        handler.end_headers()
        handler.wfile.write(body)
        handler.close_connection = True

    return send


class Failures(unittest.TestCase):
    def both(self, answers, use, **options):
        """What ``use`` gives with either client, which never really waits: values or errors, requests, waits."""
        for run in (self._sync, self._async):
            server = Server(*answers)
            waits = []
            try:
                outcome = run(server.url, waits, use, options)
            except firstmile.FirstmileError as error:
                outcome = error
            finally:
                server.close()
            yield outcome, server.came, waits

    @staticmethod
    def _sync(url, waits, use, options):
        with firstmile.Client(url, "secret", sleep=waits.append, **options) as client:
            value = use(client)
            return list(value) if hasattr(value, "__iter__") and not isinstance(value, (dict, str)) else value

    @staticmethod
    def _async(url, waits, use, options):
        async def sleep(seconds):
            waits.append(seconds)

        async def main():
            async with firstmile.AsyncClient(url, "secret", sleep=sleep, **options) as client:
                value = use(client)
                return [item async for item in value] if hasattr(value, "__aiter__") else await value

        return asyncio.run(main())

    def test_waits_for_retry_after_with_the_same_key(self):
        answers = (
            problem("rate_limited", 429, retry_after="7"),
            problem("queue_full", 503, retry_after="2"),
            found({"collection_id": "c"}),
        )
        use = lambda client: client.post("/stage_plots", form={"collection_name": "lot"}, file=b"x")
        for value, came, waits in self.both(answers, use):
            self.assertEqual(value, {"collection_id": "c"})
            self.assertEqual(waits, [7, 2])
            keys = {headers["idempotency-key"] for _, _, headers, _ in came}
            self.assertRegex(keys.pop(), r'^"[0-9a-f]{32}"$')
            self.assertEqual(keys, set())
            for _, _, _, body in came:
                self.assertIn(b'name="collection_name"\r\n', body)
                self.assertIn(b'name="file"; filename="file"\r\n', body)

    def test_waits_until_a_date_by_the_clock_of_the_service(self):
        dates = {"date": "Mon, 23 Nov 2026 10:00:00 GMT", "retry_after": "Mon, 23 Nov 2026 10:00:09 GMT"}
        for value, _, waits in self.both((problem("rate_limited", 429, **dates), found({})), _limits):
            self.assertEqual((value, waits), ({}, [9]))

    def test_says_what_the_words_are_in(self):
        answers = (problem("conflict", 409, content_language="de, en"),)
        for error, came, _ in self.both(answers, _limits, language="de"):
            self.assertEqual(error.language, "de, en")
            self.assertEqual(came[0][2]["accept-language"], "de")

    def test_does_not_wait_longer_than_is_bearable(self):
        for error, _, waits in self.both((problem("rate_limited", 429, retry_after="3600"),), _limits):
            self.assertIsInstance(error, firstmile.TooManyRequests)
            self.assertEqual((error.code, error.retry_after, waits), ("rate_limited", 3600, []))

    def test_gives_up_after_the_attempts(self):
        for error, came, waits in self.both((answer(502, HTML, "text/html"),), _limits):
            self.assertIsInstance(error, firstmile.Unavailable)
            self.assertRegex(str(error), "502 with text/html: 502 Bad Gateway nginx")
            self.assertEqual(len(came), 5)
            for i, wait in enumerate(waits):
                self.assertTrue(0.25 * 2**i <= wait <= 0.5 * 2**i, waits)

    def test_does_not_send_again_what_might_be_done_twice(self):
        use = lambda client: client.post("/tokens", json={"label": "x"})
        for error, came, _ in self.both((problem("dependency_unavailable", 503),), use):
            self.assertIsInstance(error, firstmile.Unavailable)
            self.assertEqual(len(came), 1)
            self.assertNotIn("idempotency-key", came[0][2])

    def test_throws_refusals_by_class(self):
        kinds = {
            ("invalid_token", 401): firstmile.Unauthenticated,
            ("forbidden", 403): firstmile.Forbidden,
            ("collection_not_found", 404): firstmile.NotFound,
            ("collection_busy", 409): firstmile.Conflict,
            ("invalid_parameter", 422): firstmile.InvalidRequest,
            ("internal", 500): firstmile.FirstmileError,
        }
        for (code, status), kind in kinds.items():
            for error, came, _ in self.both((problem(code, status),), _limits):
                self.assertIs(type(error), kind)
                self.assertEqual((error.code, error.status, str(error), error.request_id), (code, status, f"{code}.", "r1"))
                self.assertEqual(came[0][2]["authorization"], "Bearer secret")
                self.assertEqual(len(came), 1)

    def test_says_what_is_no_answer_of_the_service(self):
        for error, _, _ in self.both((answer(200, b"<html>sign in</html>", "text/html"),), _limits):
            self.assertIsInstance(error, firstmile.UnexpectedAnswer)
        for error, came, _ in self.both((answer(200, b'{"limits": ['),), _limits):
            self.assertEqual((error.code, len(came)), ("cut_off", 5))
        with firstmile.Client("http://127.0.0.1:9", sleep=lambda _: None) as nobody:
            with self.assertRaises(firstmile.Unreachable):
                nobody.get("/limits")

    def test_gives_up_an_answer_that_is_silent(self):
        waiting = threading.Event()
        self.addCleanup(waiting.set)
        for error, _, waits in self.both((lambda _: waiting.wait(),), _limits, silence=0.1, retries=1):
            self.assertEqual((error.code, len(waits)), ("unreachable", 1))

    def test_results_go_on_where_they_were_cut(self):
        answers = (
            gently_cut(result(1) + result(2)[:9]),
            gently_cut(result(1) + result(2)),
            lines(result(1) + result(2) + result(3)),
            lines(result(1) + result(2) + result(3) + END),
        )
        for outcome, came, waits in self.both(answers, lambda client: client.facilities.validate([POINT])):
            self.assertEqual([item["id"] for item in outcome], [1, 2, 3])
            self.assertEqual((len(came), len(waits)), (4, 3))

    def test_results_survive_a_reset(self):
        answers = (cut(result(1)), lines(result(1) + END))
        for outcome, came, _ in self.both(answers, lambda client: client.facilities.validate([POINT])):
            self.assertEqual([item["id"] for item in outcome], [1])

    def test_results_fail_when_they_are_cut_again_and_again(self):
        for error, came, _ in self.both((gently_cut(result(1)),), lambda client: client.facilities.validate([POINT])):
            self.assertEqual((error.code, len(came)), ("cut_off", 5))

    def test_results_fail_when_there_are_fewer_the_next_time(self):
        answers = (gently_cut(result(1) + result(2)), lines(result(1) + END))
        for error, _, _ in self.both(answers, lambda client: client.facilities.validate([POINT])):
            self.assertRegex(str(error), "fewer items")

    def test_results_come_before_the_rest_of_the_features_is_there(self):
        server = Server(lines(result(1) + result(2) + END), lines(result(3) + END))
        self.addCleanup(server.close)
        seen = []

        def features():
            for number in (1, 2, 3):
                seen.append(f"sent {number}")
                yield {**POINT, "id": number}

        with firstmile.Client(server.url) as client:
            run = client.facilities.validate(features(), at_a_time=2, commodity_type="palm")
            for item in run:
                seen.append(f"got {item['id']}")
        self.assertEqual(seen, ["sent 1", "sent 2", "got 1", "got 2", "sent 3", "got 3"])
        self.assertIsNone(run.aggregate)
        for _, _, _, body in server.came:
            self.assertRegex(body, rb'name="commodity_type"\r\n(?:[^\r]+\r\n)*\r\npalm\r\n')

    def test_pages_are_fetched_each_from_where_it_was_cut(self):
        answers = (
            lines(result(1) + result(2), link='</fetch_plots?filename=c&after=0.1>; rel="next"'),
            gently_cut(result(3)),
            lines(result(3) + result(4)),
        )
        use = lambda client: client.collections.features("c", "plots", country="GH")
        for outcome, came, _ in self.both(answers, use):
            self.assertEqual([item["id"] for item in outcome], [1, 2, 3, 4])
            first, *rest = [path for _, path, _, _ in came]
            self.assertEqual(first, "/fetch_plots?country=GH&filename=c&limit=1000")
            self.assertEqual(rest, [first + "&after=0.1"] * 2)

    def test_a_batch_is_followed_from_the_last_event_and_each_state_is_shown_once(self):
        answers = (
            found({"collection_id": "c", "task_id": "t"}),
            _polled(0),
            gently_cut(_event(0) + _event(1) + _event(2)[:20], "text/event-stream"),
            _polled(1),
            answer(200, b": still processing\n\n" + _event(2) + _event(4, "completed"), "text/event-stream"),
            found({"collection_id": "c", "status": "completed"}),
        )
        seen = []
        note = lambda task: seen.append(task["progress"]["done"])
        use = lambda client: client.collections.run([POINT], collection_name="lot", on_task=note)
        for collection, came, _ in self.both(answers, use):
            self.assertEqual(collection["status"], "completed")
            self.assertEqual([headers.get("last-event-id") for _, _, headers, _ in came], [None] * 4 + ["n1", None])
        self.assertEqual(seen, [0, 1, 2, 4] * 2)

    def test_a_batch_that_failed_says_why(self):
        failed = _polled(2, "failed", {"code": "malformed_file", "detail": "The file ends early."})
        answers = (found({"collection_id": "c", "task_id": "t"}), failed)
        for error, came, _ in self.both(answers, lambda client: client.collections.run(filename="staged")):
            self.assertIsInstance(error, firstmile.TaskFailed)
            self.assertRegex(str(error), "The file ends early")
            self.assertIn(b'name="filename"', came[0][3])

    def test_a_collection_that_failed_long_ago_says_so(self):
        error = {"code": "malformed_file", "detail": "The file ends early."}
        answers = (found({"collection_id": "c", "task": None}), found({"status": "failed", "error": error}))
        for outcome, _, _ in self.both(answers, lambda client: client.collections.resume("c")):
            self.assertIsInstance(outcome, firstmile.TaskFailed)

    def test_nonsense_is_refused_whatever_it_is(self):
        chance = random.Random(11)
        nonsense = [bytes(chance.randrange(256) for _ in range(chance.randrange(1, 60))) for _ in range(100)]
        bodies = [*nonsense, b"5\n", b"null\n", b"[[[", b"[" * 100_000, b'{"type":1}\n', b"\xff\n"]
        server = Server(lambda handler: lines(bodies[len(server.came) - 1])(handler))
        self.addCleanup(server.close)
        with firstmile.Client(server.url, retries=0) as client:
            for _ in bodies:
                with self.assertRaises(firstmile.FirstmileError):
                    list(client.facilities.validate([POINT]))
        for text in [*(body.decode("latin-1") for body in nonsense), "1e9", "-1", "Mon, 99 Nov 99999 10:00:00 GMT", "1 2 3"]:
            wait = _retries.retry_after({"retry-after": text, "date": text})
            self.assertTrue(wait is None or wait >= 0, text)

    def test_a_cancelled_call_closes_its_connection(self):
        server = Server(lambda handler: handler.rfile.read(1))
        self.addCleanup(server.close)

        async def main():
            async with firstmile.AsyncClient(server.url) as client:
                calling = asyncio.create_task(client.get("/limits"))
                while not server.came:
                    await asyncio.sleep(0.01)
                calling.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await calling

        asyncio.run(main())


def _limits(client):
    return client.get("/limits")


def _state(done, status="processing", error=None):
    return {"task_id": "t", "status": status, "progress": {"done": done, "total": 4}, "error": error}


def _polled(done, status="processing", error=None):
    return found({"collection_id": "c", "task": _state(done, status, error)})


def _event(done, status="processing"):
    return f"event: progress\ndata: {json.dumps(_state(done, status))}\nid: n{done}\n\n".encode()


if __name__ == "__main__":
    unittest.main()

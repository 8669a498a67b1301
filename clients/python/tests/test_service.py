"""Both clients against a running service: FIRSTMILE_URL, FIRSTMILE_TOKEN, and a folder with files in FIRSTMILE_FILES."""

import asyncio
import inspect
import io
import json
import os
import unittest
from pathlib import Path

import firstmile

FILES = Path(os.environ["FIRSTMILE_FILES"])
MILL = {
    "type": "Feature",
    "id": "mill",
    "geometry": {"type": "Point", "coordinates": [102.6012, 4.6177]},
    "properties": {"facility_name": "synthetic mill"},
}


class Service(unittest.TestCase):
    def setUp(self):
        self.client = firstmile.Client()
        self.addCleanup(self.client.close)

    def test_has_the_version_of_the_service(self):
        self.assertEqual(self.client.get("/openapi.json")["info"]["version"], firstmile.__version__)

    def test_knows_the_fields_and_keys_of_the_service(self):
        paths = self.client.get("/openapi.json")["paths"]
        form = paths["/validate_facilities"]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
        known = inspect.signature(self.client.facilities.validate).parameters
        self.assertEqual(set(known) - {"source", "at_a_time", "on_sent"}, set(form["properties"]) - {"file"})
        keyed = {
            path
            for path, methods in paths.items()
            for parameter in methods.get("post", {}).get("parameters", [])
            if parameter["in"] == "header" and parameter["name"] == "idempotency-key"
        }
        self.assertEqual(keyed, firstmile._steps.REPEATABLE)

    def test_rates_places_from_every_kind_of_source(self):
        class Table:
            __geo_interface__ = {"type": "FeatureCollection", "features": [MILL]}

        text = json.dumps(Table.__geo_interface__).encode()
        opened = (FILES / "mills.geojson").open("rb")
        self.addCleanup(opened.close)
        sources = [[MILL], iter([MILL]), Table.__geo_interface__, Table(), text, io.BytesIO(text), opened]
        for source in [*sources, FILES / "mills.geojson", str(FILES / "mills.geojson")]:
            run = self.client.facilities.validate(source, commodity_type="palm")
            (mill,) = run
            self.assertEqual((mill["id"], mill["properties"]["country_code"]), ("mill", "MY"))
            self.assertEqual(run.aggregate["total_facilities"], 1)

    def test_takes_a_file_from_upload_to_verdicts_and_begins_it_once(self):
        sent, states = [], []
        options = {
            "collection_name": "lot 7, from Python",
            "monitoring_end": "2024-12-31",
            "idempotency_key": "lot 7, from Python",
            "on_sent": lambda done, total: sent.append(done / total),
            "on_task": lambda task: states.append(task["status"]),
        }
        collection = self.client.collections.run(FILES / "plots.geojson", **options)
        self.assertEqual((collection["status"], collection["counts"]["plots"]), ("completed", 2))
        self.assertEqual((collection["file"]["name"], sent[-1], states[-1]), ("plots.geojson", 1, "completed"))
        again = self.client.collections.run(FILES / "plots.geojson", **options)
        self.assertEqual(again["collection_id"], collection["collection_id"])
        found = list(self.client.collections.features(again["collection_id"], "deforestation_check", plots_only=True))
        self.assertEqual(len(found), 2)
        for plot in found:
            self.assertIn(plot["properties"]["convergence_verdict"], ("low", "more_information_needed", "high"))
        table = self.client.download("/fetch_plots", {"filename": again["collection_id"]}, accept="text/csv")
        self.assertRegex(table, rb"^[\w,]+\r\n")
        (task,) = self.client.tasks.follow(collection["task_id"])
        self.assertEqual(task["status"], "completed")
        with self.assertRaises(firstmile.FirstmileError):
            list(self.client.collections.features(again["collection_id"], "plots", no_such_column="x"))

    def test_makes_a_geodataframe_of_results(self):
        try:
            import geopandas
        except ImportError:
            self.skipTest("geopandas is not installed")
        table = firstmile.to_geodataframe(self.client.facilities.validate([MILL, {**MILL, "geometry": None}]))
        self.assertIsInstance(table, geopandas.GeoDataFrame)
        self.assertEqual(table.crs.to_epsg(), 4326)
        self.assertEqual(list(table["id"]), ["mill", "mill"])
        self.assertEqual((table.geometry[0].x, table.geometry[1]), (102.6012, None))
        self.assertEqual(len(firstmile.to_geodataframe([])), 0)
        # And back again.
        (mill,) = self.client.facilities.validate(table.iloc[:1][["id", "geometry"]].set_index("id"))
        self.assertEqual(mill["geometry"]["coordinates"], [102.6012, 4.6177])

    def test_says_what_was_refused(self):
        with firstmile.Client(token="a-wrong-token-0123456789abcdef012345") as stranger:
            with self.assertRaises(firstmile.Unauthenticated):
                stranger.get("/principal")
            with self.assertRaises(firstmile.Unauthenticated):
                stranger.collections.run(b"x" * 5_000_000, collection_name="x")
        with self.assertRaises(firstmile.NotFound):
            self.client.get("/tasks/x")
        with self.assertRaises(firstmile.InvalidRequest):
            self.client.collections.run(b"", collection_name="x")
        with firstmile.Client(token="") as nobody:
            self.assertEqual(nobody.get("/healthz")["status"], "ok")

    def test_does_the_same_asynchronously(self):
        async def main():
            async with firstmile.AsyncClient() as client:
                run = client.facilities.validate([MILL])
                rated = [mill["id"] async for mill in run]
                places = [place async for place in client.locations.validate(FILES / "mills.csv", location_type="facility")]
                collection = await client.collections.run(FILES / "plots.geojson", collection_name="async", stats=False)
                same = await client.collections.resume(collection["collection_id"])
                plots = [plot async for plot in client.collections.features(same["collection_id"], "plots")]
                scope = await client.get("/eudr/scope", {"cn": "1801", "country": "GH"})
                point = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [102.61, 4.6]}}
                patches = await client.post("/forest_polygon/lookup", json={"features": [point]})
                return rated, run.aggregate, places, plots, scope, patches

        rated, aggregate, places, plots, scope, patches = asyncio.run(main())
        self.assertEqual((rated, aggregate["total_facilities"], len(plots)), (["mill"], 1, 3))
        self.assertEqual(places[0]["properties"]["country_code"], "MY")
        self.assertEqual((scope["in_scope"], patches["features"][0]["geometry"]["type"]), ("yes", "Polygon"))


if __name__ == "__main__":
    unittest.main()

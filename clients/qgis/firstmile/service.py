# SPDX-License-Identifier: Apache-2.0
"""A Firstmile service as algorithms use it: requests with the token of the authentication store, which wait where the
service is busy and stop when the user cancels."""

import json
import time
import uuid

from qgis.core import (
    QgsApplication,
    QgsAuthMethodConfig,
    QgsBlockingNetworkRequest,
    QgsProcessingException,
    QgsSettings,
)
from qgis.PyQt.QtCore import QByteArray, QUrl
from qgis.PyQt.QtNetwork import QNetworkRequest

SETTINGS = "firstmile"
#: Times a request is sent again when the service is busy.
RETRIES = 6
#: Seconds to wait where the service does not say.
WAIT_S = 5


class Account:
    """Where a service is, and the configuration of the authentication store that has its token."""

    def __init__(self, url, authcfg):
        self.url = url.rstrip("/")
        self.authcfg = authcfg

    def header(self):
        """The value of Authorization. A configuration of the type Basic has the token as its password, one of the type
        API Header the whole header; earlier versions of QGIS than 3.24 have only the first."""
        if not self.authcfg:
            return None
        config = QgsAuthMethodConfig()
        if not QgsApplication.authManager().loadAuthenticationConfig(self.authcfg, config, True):
            return None
        if config.method() == "Basic":
            return "Bearer " + config.config("password")
        return config.config("Authorization") or config.config("authorization") or None


def saved_account():
    """The account of the last run of an algorithm."""
    settings = QgsSettings()
    return Account(settings.value(SETTINGS + "/url", ""), settings.value(SETTINGS + "/authcfg", ""))


def save_account(account):
    settings = QgsSettings()
    settings.setValue(SETTINGS + "/url", account.url)
    settings.setValue(SETTINGS + "/authcfg", account.authcfg)


def is_of(account, url):
    """Whether an address is one of the service: a token goes to nobody else."""
    if not account.url:
        return False
    home = QUrl(account.url)
    path = home.path().rstrip("/")
    return (
        url.scheme() == home.scheme()
        and url.host() == home.host()
        and url.port(-1) == home.port(-1)
        and (url.path() == path or url.path().startswith(path + "/"))
    )


def sign_request(request, account):
    """Adds the token to a request to the service that has none. Called by QGIS for each request it sends."""
    if request.hasRawHeader(b"Authorization") or not is_of(account, request.url()):
        return
    header = account.header()
    if header is not None:
        request.setRawHeader(b"Authorization", header.encode())


class Service:
    def __init__(self, account, feedback):
        self.account = account
        self.feedback = feedback

    def get(self, path):
        return self._send(path)

    def delete(self, path):
        return self._send(path, method="DELETE")

    def post_json(self, path, body):
        return self._send(path, json.dumps(body).encode(), "application/json", method="POST")

    def post_form(self, path, fields, name, content, accept=None):
        """Sends a form with one file."""
        boundary = uuid.uuid4().hex
        parts = [
            '--{}\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'.format(boundary, key, value)
            for key, value in fields.items()
        ]
        head = "".join(parts) + (
            '--{}\r\nContent-Disposition: form-data; name="file"; filename="{}"\r\n'
            "Content-Type: application/geo+json\r\n\r\n".format(boundary, name)
        )
        body = head.encode() + content + "\r\n--{}--\r\n".format(boundary).encode()
        return self._send(path, body, "multipart/form-data; boundary=" + boundary, accept, method="POST")

    def _send(self, path, body=None, media_type=None, accept=None, method="GET"):
        for attempt in range(RETRIES + 1):
            if self.feedback.isCanceled() and method != "DELETE":
                raise Cancelled()
            request = QNetworkRequest(QUrl(self.account.url + path))
            header = self.account.header()
            if header is not None:
                request.setRawHeader(b"Authorization", header.encode())
            if media_type is not None:
                request.setRawHeader(b"Content-Type", media_type.encode())
            if accept is not None:
                request.setRawHeader(b"Accept", accept.encode())
            blocking = QgsBlockingNetworkRequest()
            if method == "POST":
                blocking.post(request, QByteArray(body), True, self.feedback)
            elif method == "GET":
                blocking.get(request, True, self.feedback)
            else:
                # A task has to be stopped even after the user cancelled.
                blocking.deleteResource(request)
            reply = blocking.reply()
            if self.feedback.isCanceled() and method != "DELETE":
                raise Cancelled()
            status = reply.attribute(QNetworkRequest.HttpStatusCodeAttribute)
            if status in (429, 503) and attempt < RETRIES:
                self._wait(bytes(reply.rawHeader(b"Retry-After")).decode())
                continue
            return read_reply(reply, status, method, path)
        raise QgsProcessingException("The service stayed busy; try again later.")

    def _wait(self, retry_after):
        seconds = int(retry_after) if retry_after.isdigit() else WAIT_S
        self.feedback.pushInfo("The service is busy; trying again in {} s.".format(seconds))
        self.sleep(seconds)

    def sleep(self, seconds):
        """Waits, and stops when the user cancels."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.feedback.isCanceled():
                raise Cancelled()
            time.sleep(0.1)


class Cancelled(Exception):
    """The user cancelled."""


def read_reply(reply, status, method, path):
    text = bytes(reply.content()).decode("utf-8", "replace")
    if status is None:
        raise QgsProcessingException("The service cannot be reached: " + reply.errorString())
    if status >= 400:
        try:
            detail = json.loads(text)["detail"]
        except (ValueError, KeyError, TypeError):
            detail = text[:200]
        raise QgsProcessingException("{} {} answered {}: {}".format(method, path, status, detail))
    return text

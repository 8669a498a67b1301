# SPDX-License-Identifier: Apache-2.0
"""Runs the plugin in QGIS without a window against a running service and prints what it gave, as JSON.

    QT_QPA_PLATFORM=offscreen python3 run_headless.py PLUGINS URL TOKEN [SET]

PLUGINS is the folder that holds `firstmile`, SET a set of plots that is read as a layer and as vector tiles."""

import json
import os
import sys
import tempfile

plugins, url, token = sys.argv[1:4]
a_set = sys.argv[4] if len(sys.argv) > 4 else "sample-district-buildings"
home = tempfile.mkdtemp()
os.environ["QGIS_AUTH_DB_DIR_PATH"] = home
os.environ["QGIS_CUSTOM_CONFIG_PATH"] = home
sys.path[:0] = [plugins, "/usr/share/qgis/python/plugins"]

from qgis.core import (  # noqa: E402
    QgsApplication,
    QgsAuthMethodConfig,
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsGeometry,
    QgsMapRendererSequentialJob,
    QgsMapSettings,
    QgsPointXY,
    QgsRectangle,
    QgsProcessingFeedback,
    QgsVectorLayer,
    QgsVectorTileLayer,
)

from qgis.PyQt.QtCore import QSize  # noqa: E402

app = QgsApplication([], True)
app.initQgis()
manager = QgsApplication.authManager()
assert manager.setMasterPassword("for this run", True), "the authentication store cannot be opened"
config = QgsAuthMethodConfig("Basic")
config.setName("Firstmile")
config.setConfig("username", "token")
config.setConfig("password", token)
assert manager.storeAuthenticationConfig(config), "the token cannot be stored"

import processing  # noqa: E402
from processing.core.Processing import Processing  # noqa: E402

Processing.initialize()

import firstmile  # noqa: E402

plugin = firstmile.classFactory(None)
plugin.initProcessing()
ACCOUNT = {"URL": url, "AUTH": config.id()}


def layer_of(kind, geometries, crs="EPSG:4326"):
    layer = QgsVectorLayer("{}?crs={}&field=name:string&field=area_ha:double".format(kind, crs), "made up", "memory")
    features = []
    for number, geometry in enumerate(geometries):
        feature = QgsFeature(layer.fields())
        feature.setGeometry(geometry)
        feature.setAttributes(["place {}".format(number), 1.5])
        features.append(feature)
    layer.dataProvider().addFeatures(features)
    return layer


class Feedback(QgsProcessingFeedback):
    def __init__(self, cancel_at=None, cancel_on=None):
        super().__init__(False)
        self.seen = []
        self.infos = []
        self.cancel_at = cancel_at
        self.cancel_on = cancel_on
        self.progressChanged.connect(self.note)

    def note(self, progress):
        self.seen.append(progress)
        if self.cancel_at is not None and progress >= self.cancel_at:
            self.cancel()

    def pushInfo(self, info):
        self.infos.append(info)
        if self.cancel_on is not None and info.startswith(self.cancel_on):
            self.cancel()


def run(name, parameters, feedback=None):
    feedback = feedback or Feedback()
    found = processing.run("firstmile:" + name, {**ACCOUNT, **parameters, "OUTPUT": "memory:"}, feedback=feedback)
    rows = []
    for feature in found["OUTPUT"].getFeatures():
        values = {field.name(): feature[field.name()] for field in found["OUTPUT"].fields()}
        shape = None if feature.geometry().isNull() else feature.geometry().asWkt(5)[:60]
        rows.append({"geometry": shape, **{key: None if str(value) == "NULL" else value for key, value in values.items()}})
    return {"rows": rows, "progress": feedback.seen, "infos": feedback.infos}


def colours_of(layer, box):
    """How many colours a picture of the layer has: 1 where nothing was drawn."""
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    settings.setExtent(QgsRectangle(*box))
    settings.setOutputSize(QSize(400, 200))
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    picture = job.renderedImage()
    return len({picture.pixel(x, y) for x in range(0, 400, 2) for y in range(0, 200, 2)})


def failure(parameters):
    try:
        run("ratepoints", parameters)
    except Exception as error:
        return str(error)
    return None


places = [(102.6124, 4.5821), (102.6012, 4.6177), (0.0, -40.0)]
points = layer_of("Point", [QgsGeometry.fromPointXY(QgsPointXY(x, y)) for x, y in places])
utm = layer_of("Point", [QgsGeometry.fromPointXY(QgsPointXY(233717.19, 508896.64))], "EPSG:32648")
squares = layer_of(
    "Polygon",
    [QgsGeometry.fromWkt("POLYGON(({0} 4.59, {1} 4.59, {1} 4.591, {0} 4.591, {0} 4.59))".format(x, x + 0.001)) for x in (102.6, 102.605)],
)
many = layer_of("Point", [QgsGeometry.fromPointXY(QgsPointXY(102.6 + i / 100000, 4.59)) for i in range(160)])

answer = {
    "rated": run("ratepoints", {"INPUT": points, "COMMODITY": "palm"}),
    "reprojected": run("ratepoints", {"INPUT": utm}),
    "patches": run("forestpatch", {"INPUT": points}),
    "verdicts": run("plotverdict", {"INPUT": squares, "COMMODITY": "palm", "NAME": "from QGIS", "KEEP": True}),
    "cancelled": run("ratepoints", {"INPUT": many}, Feedback(cancel_at=30)),
    "cancelled_batch": run("plotverdict", {"INPUT": squares, "NAME": "cancelled", "KEEP": True}, Feedback(cancel_on="The batch runs")),
    "wrong_token": failure({"INPUT": points, "AUTH": ""}),
    "no_service": failure({"INPUT": points, "URL": "http://127.0.0.1:9"}),
}

# The account of the last runs signs what layers request.
run("ratepoints", {"INPUT": utm})
layer = QgsVectorLayer("url='{}/ogc' typename='{}' pageSize='50'".format(url, a_set), "layer", "OAPIF")
answer["layer"] = {"valid": layer.isValid(), "count": sum(1 for _ in layer.getFeatures()), "fields": [field.name() for field in layer.fields()]}
tiles = QgsVectorTileLayer("type=xyz&url={}/tiles/{}/{{z}}/{{x}}/{{y}}&zmin=0&zmax=16".format(url, a_set), "tiles")
answer["tiles"] = {"valid": tiles.isValid(), "colours": colours_of(tiles, (102.5756, 4.5816, 102.6215, 4.5970))}
plugin.unload()
stored = "".join(open(os.path.join(folder, name), "rb").read().decode("latin1") for folder, _, names in os.walk(home) for name in names)
answer["token_in_the_clear"] = token in stored
print(json.dumps(answer, default=str), flush=True)
# The end of Python takes QGIS 3.22 down with it; everything was said.
os._exit(0)

# SPDX-License-Identifier: Apache-2.0
"""What the three algorithms have in common: the account, features as GeoJSON in longitude and latitude, and fields of answers."""

import json

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsFeature,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsJsonUtils,
    QgsProcessingAlgorithm,
    QgsProcessingException,
    QgsProcessingParameterAuthConfig,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterString,
)
from qgis.PyQt.QtCore import QVariant

from .service import Account, Cancelled, Service, save_account, saved_account

WGS84 = QgsCoordinateReferenceSystem("EPSG:4326")
#: Digits of coordinates: a centimetre.
PRECISION = 8


class FirstmileAlgorithm(QgsProcessingAlgorithm):
    INPUT = "INPUT"
    OUTPUT = "OUTPUT"
    URL = "URL"
    AUTH = "AUTH"

    #: Given by each algorithm: what it reads, what it writes, and its fields in order with their types.
    input_types = []
    output_type = None
    #: Kind of the geometries written; None: those of the input.
    output_wkb = None
    answer_fields = {}

    def createInstance(self):
        return type(self)()

    def group(self):
        return ""

    def groupId(self):
        return ""

    def initAlgorithm(self, config=None):
        account = saved_account()
        self.addParameter(QgsProcessingParameterFeatureSource(self.INPUT, self.input_label, self.input_types))
        self.add_parameters()
        self.addParameter(
            QgsProcessingParameterString(self.URL, "Address of the service", account.url or "http://127.0.0.1:8080")
        )
        self.addParameter(
            QgsProcessingParameterAuthConfig(
                self.AUTH, "Token (a configuration of the authentication store)", account.authcfg or None, True
            )
        )
        self.addParameter(QgsProcessingParameterFeatureSink(self.OUTPUT, self.displayName(), self.output_type))

    def add_parameters(self):
        """Adds the parameters of its own."""

    def open_service(self, parameters, context, feedback):
        account = Account(
            self.parameterAsString(parameters, self.URL, context),
            self.parameterAsString(parameters, self.AUTH, context),
        )
        if account.authcfg and account.header() is None:
            raise QgsProcessingException("The configuration {} of the authentication store cannot be read.".format(account.authcfg))
        save_account(account)
        return Service(account, feedback)

    def open_layers(self, parameters, context):
        source = self.parameterAsSource(parameters, self.INPUT, context)
        if source is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, self.INPUT))
        fields = QgsFields(source.fields())
        self.added = []
        for name, kind in self.answer_fields.items():
            # A column of the same name stays as it is.
            name = name if fields.lookupField(name) < 0 else "firstmile_" + name
            self.added.append(name)
            fields.append(QgsField(name, kind))
        kind = source.wkbType() if self.output_wkb is None else self.output_wkb
        sink, destination = self.parameterAsSink(parameters, self.OUTPUT, context, fields, kind, WGS84)
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.OUTPUT))
        return source, sink, destination

    def geojson_of(self, source, context):
        """Each feature, and the same as GeoJSON in longitude and latitude with the columns of the layer."""
        transform = QgsCoordinateTransform(source.sourceCrs(), WGS84, context.transformContext())
        names = [field.name() for field in source.fields()]
        for feature in source.getFeatures():
            geometry = QgsGeometry(feature.geometry())
            if not geometry.isNull():
                geometry.transform(transform)
            properties = {name: plain(feature[name]) for name in names}
            body = {
                "type": "Feature",
                "id": feature.id(),
                "geometry": None if geometry.isNull() else json.loads(geometry.asJson(PRECISION)),
                "properties": properties,
            }
            yield feature, geometry, body

    def write(self, sink, feature, geometry, answer):
        """Writes a feature with its own columns and those of the answer; what the answer does not say is null."""
        written = QgsFeature()
        written.setGeometry(geometry)
        written.setAttributes(feature.attributes() + [typed(answer.get(name), kind) for name, kind in self.answer_fields.items()])
        sink.addFeature(written)

    def processAlgorithm(self, parameters, context, feedback):
        service = self.open_service(parameters, context, feedback)
        source, sink, destination = self.open_layers(parameters, context)
        try:
            self.work(service, source, sink, parameters, context, feedback)
        except Cancelled:
            feedback.pushInfo("Cancelled; what was written until then stays.")
        return {self.OUTPUT: destination}


def plain(value):
    """A value of a column as JSON has it."""
    if value is None or (isinstance(value, QVariant) and value.isNull()):
        return None
    if isinstance(value, (bool, int, float, str)):
        return value
    return json.loads(QgsJsonUtils.encodeValue(value))


def typed(value, kind):
    if value is None:
        return None
    if kind == QVariant.Double:
        return float(value)
    if kind == QVariant.Int:
        return int(value)
    return messages(value) if isinstance(value, list) else str(value)


def messages(values):
    """A list of warnings as their sentences."""
    return " ".join(value.get("message", "") if isinstance(value, dict) else str(value) for value in values)


def geometry_of(geojson):
    """A geometry of an answer."""
    if geojson is None:
        return QgsGeometry()
    feature = json.dumps({"type": "Feature", "properties": {}, "geometry": geojson})
    found = QgsJsonUtils.stringToFeatureList(feature)
    return found[0].geometry() if found else QgsGeometry()


def in_groups(items, size):
    group = []
    for item in items:
        group.append(item)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group

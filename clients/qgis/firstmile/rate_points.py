# SPDX-License-Identifier: Apache-2.0
"""Is this place a first-mile aggregation point? For each feature of a layer."""

import json

from qgis.core import QgsProcessing, QgsProcessingParameterString
from qgis.PyQt.QtCore import QVariant

from .algorithm import FirstmileAlgorithm, in_groups

#: Places a request: progress is shown and cancel is heard between two.
GROUP = 50


class RatePoints(FirstmileAlgorithm):
    COMMODITY = "COMMODITY"

    input_label = "Places"
    input_types = [QgsProcessing.TypeVectorPoint]
    output_type = QgsProcessing.TypeVectorPoint
    answer_fields = {
        "confidence_level": QVariant.String,
        "confidence_score": QVariant.Double,
        "evidence_coverage": QVariant.Double,
        "country_code": QVariant.String,
        "commodity_presence": QVariant.Double,
        "building_presence": QVariant.Double,
        "road_access": QVariant.Int,
        "unknown": QVariant.String,
        "confidence_comment": QVariant.String,
        "warnings": QVariant.String,
    }

    def name(self):
        return "ratepoints"

    def displayName(self):
        return "Rate facilities"

    def shortHelpString(self):
        return (
            "Rates how likely each point is a first-mile aggregation point of a commodity. confidence_level is high, medium, "
            "low or invalid; unknown lists what no dataset could say, which is not the same as absent."
        )

    def add_parameters(self):
        self.addParameter(
            QgsProcessingParameterString(self.COMMODITY, "Commodity (palm, cocoa, coffee, rubber, soy, cattle, timber)", "", optional=True)
        )

    def work(self, service, source, sink, parameters, context, feedback):
        commodity = self.parameterAsString(parameters, self.COMMODITY, context)
        fields = {"commodity_type": commodity} if commodity else {}
        total = max(1, source.featureCount())
        done = 0
        for group in in_groups(self.geojson_of(source, context), GROUP):
            body = {"type": "FeatureCollection", "features": [feature for _, _, feature in group]}
            answer = service.post_form("/validate_facilities", fields, "layer.geojson", json.dumps(body).encode(), "application/geo+json")
            for (feature, geometry, _), rated in zip(group, json.loads(answer)["features"]):
                found = rated["properties"]
                unknown = [one["indicator"] for one in found.get("evidence") or [] if one["status"] == "unknown"]
                self.write(sink, feature, geometry, {**found, "unknown": ", ".join(unknown)})
            done += len(group)
            feedback.setProgress(100.0 * done / total)

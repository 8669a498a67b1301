# SPDX-License-Identifier: Apache-2.0
"""Was forest lost on these plots after 2020-12-31? A layer becomes a collection of the service, which measures it."""

import json
from urllib.parse import quote

from qgis.core import (
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterString,
)
from qgis.PyQt.QtCore import QVariant

from .algorithm import FirstmileAlgorithm
from .service import Cancelled

#: Seconds between two looks at the batch.
POLL_S = 2


class PlotVerdict(FirstmileAlgorithm):
    COMMODITY = "COMMODITY"
    NAME = "NAME"
    KEEP = "KEEP"

    input_label = "Plots"
    input_types = [QgsProcessing.TypeVectorPolygon, QgsProcessing.TypeVectorPoint]
    output_type = QgsProcessing.TypeVectorAnyGeometry
    answer_fields = {
        "collection_id": QVariant.String,
        "location_confidence": QVariant.String,
        "eudr_status": QVariant.String,
        "risk_level": QVariant.String,
        "eudr_comment": QVariant.String,
        "convergence_verdict": QVariant.String,
        "noncompliance_area_ha": QVariant.Double,
        "baseline_forest_ha": QVariant.Double,
        "check_status": QVariant.String,
        "check_reason": QVariant.String,
        "monitored_until": QVariant.String,
        "problem": QVariant.String,
        "warnings": QVariant.String,
    }

    def name(self):
        return "plotverdict"

    def displayName(self):
        return "Deforestation check of plots"

    def shortHelpString(self):
        return (
            "Measures forest and losses of each plot since 2020-12-31 and gives the verdict of the check. "
            "more_information_needed means that the data does not suffice; monitored_until says how far it reaches. "
            "The collection stays with the service, for exports, unless it is not kept."
        )

    def add_parameters(self):
        self.addParameter(QgsProcessingParameterString(self.COMMODITY, "Commodity", "", optional=True))
        self.addParameter(QgsProcessingParameterString(self.NAME, "Name of the collection", "QGIS"))
        self.addParameter(QgsProcessingParameterBoolean(self.KEEP, "Keep the collection with the service", True))

    def work(self, service, source, sink, parameters, context, feedback):
        items = list(self.geojson_of(source, context))
        if not items:
            return
        # The place in the file says which plot an answer is about: ids of layers are not always kept.
        features = [feature for _, _, feature in items]
        fields = {
            "collection_name": self.parameterAsString(parameters, self.NAME, context) or "QGIS",
            "location_type": "plot",
            "stats": "true",
            "validate_locations": "true",
        }
        commodity = self.parameterAsString(parameters, self.COMMODITY, context)
        if commodity:
            fields["crop_type"] = commodity
        content = json.dumps({"type": "FeatureCollection", "features": features}).encode()
        begun = json.loads(service.post_form("/batch_process", fields, "layer.geojson", content))
        collection, task = begun["collection_id"], begun["task_id"]
        feedback.pushInfo("The batch runs as the collection {}.".format(collection))
        try:
            self.follow(service, collection, feedback)
        except Cancelled:
            service.delete("/tasks/" + quote(task))
            feedback.pushInfo("The batch was cancelled.")
            raise
        found = service.get("/fetch_deforestation_check?filename=" + quote(collection))
        answers = {}
        for line in found.splitlines():
            properties = json.loads(line)["properties"]
            answers[properties["location_number"]] = properties
        for number, (feature, geometry, _) in enumerate(items):
            self.write(sink, feature, geometry, answers.get(number, {"problem": "The service gave no answer for this plot."}))
        if not self.parameterAsBoolean(parameters, self.KEEP, context):
            service.delete("/collections/" + quote(collection))

    def follow(self, service, collection, feedback):
        while True:
            state = json.loads(service.get("/collections/" + quote(collection)))
            progress = (state.get("task") or {}).get("progress") or {}
            if progress.get("total"):
                feedback.setProgress(100.0 * progress["done"] / progress["total"])
            if state["status"] == "completed":
                return
            if state["status"] != "processing":
                error = state.get("error") or {}
                raise QgsProcessingException("The batch ended as {}: {}".format(state["status"], error.get("detail", "")))
            service.sleep(POLL_S)

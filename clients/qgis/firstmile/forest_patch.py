# SPDX-License-Identifier: Apache-2.0
"""Which patch of forest holds this point? For each feature of a layer."""

import json

from qgis.core import QgsProcessing, QgsWkbTypes
from qgis.PyQt.QtCore import QVariant

from .algorithm import FirstmileAlgorithm, geometry_of, in_groups

#: Points a request.
GROUP = 20


class ForestPatch(FirstmileAlgorithm):
    input_label = "Points"
    input_types = [QgsProcessing.TypeVectorPoint]
    output_type = QgsProcessing.TypeVectorPolygon
    output_wkb = QgsWkbTypes.MultiPolygon
    answer_fields = {
        "segment_id": QVariant.String,
        "area_ha": QVariant.Double,
        "perimeter_m": QVariant.Double,
        "source": QVariant.String,
        "source_year": QVariant.Int,
        "dataset": QVariant.String,
        "warnings": QVariant.String,
    }

    def name(self):
        return "forestpatch"

    def displayName(self):
        return "Patch of forest of a point"

    def shortHelpString(self):
        return (
            "Gives the patch of forest that holds each point, as a polygon. A point without a patch has no geometry, and "
            "warnings say why: no forest, nothing known here, or a source that failed."
        )

    def work(self, service, source, sink, parameters, context, feedback):
        total = max(1, source.featureCount())
        done = 0
        for group in in_groups(self.geojson_of(source, context), GROUP):
            bare = [{**feature, "properties": {}} for _, _, feature in group]
            answer = json.loads(service.post_json("/forest_polygon/lookup", {"features": bare}))
            for (feature, _, _), patch in zip(group, answer["features"]):
                geometry = geometry_of(patch["geometry"])
                geometry.convertToMultiType()
                self.write(sink, feature, geometry, patch["properties"])
            done += len(group)
            feedback.setProgress(100.0 * done / total)

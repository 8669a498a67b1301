"""Results as a table of geopandas, where it is installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def to_geodataframe(features: Iterable[Mapping[str, Any]]) -> Any:
    """A ``geopandas.GeoDataFrame`` in EPSG:4326 of features: one row each, in their order, with ``id`` as a column.

    Takes a run, what ``features`` of a collection gives, or the features of an answer. Needs geopandas.
    """
    import geopandas

    rows = [
        {"type": "Feature", "geometry": feature.get("geometry"), "properties": _properties(feature)}
        for feature in features
    ]
    if not rows:
        return geopandas.GeoDataFrame({"id": []}, geometry=[], crs="EPSG:4326")
    return geopandas.GeoDataFrame.from_features(rows, crs="EPSG:4326")


def _properties(feature: Mapping[str, Any]) -> dict[str, Any]:
    properties = dict(feature.get("properties") or {})
    # A column of the file may be called id: the one of the feature is what results are known by.
    if feature.get("id") is not None:
        properties["id"] = feature["id"]
    return properties

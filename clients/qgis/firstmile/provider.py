# SPDX-License-Identifier: Apache-2.0
"""The group of algorithms in the Processing toolbox."""

import os

from qgis.core import QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from .forest_patch import ForestPatch
from .plot_verdict import PlotVerdict
from .rate_points import RatePoints


class FirstmileProvider(QgsProcessingProvider):
    def id(self):
        return "firstmile"

    def name(self):
        return "Firstmile"

    def icon(self):
        return QIcon(os.path.join(os.path.dirname(__file__), "icon.svg"))

    def loadAlgorithms(self):
        for algorithm in (RatePoints(), ForestPatch(), PlotVerdict()):
            self.addAlgorithm(algorithm)

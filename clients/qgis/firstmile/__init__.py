# SPDX-License-Identifier: Apache-2.0
"""Facilities, patches of forest and plots with a Firstmile service, in the Processing toolbox of QGIS."""


def classFactory(iface):
    """Called by QGIS, with its window or with None where there is none."""
    from .plugin import FirstmilePlugin

    return FirstmilePlugin(iface)

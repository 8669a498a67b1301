# SPDX-License-Identifier: Apache-2.0
"""What QGIS loads: the provider of algorithms, and the token for layers of the service."""

from qgis.core import QgsApplication, QgsNetworkAccessManager

from .provider import FirstmileProvider
from .service import saved_account, sign_request


class FirstmilePlugin:
    def __init__(self, iface):
        self.iface = iface
        self.provider = None
        self.preprocessor = None

    def initProcessing(self):
        """Called by qgis_process too, where there is no window."""
        self.provider = FirstmileProvider()
        QgsApplication.processingRegistry().addProvider(self.provider)
        # Layers of the service are read with the token of the store: no address and no project file has it.
        self.preprocessor = QgsNetworkAccessManager.setRequestPreprocessor(
            lambda request: sign_request(request, saved_account())
        )

    def initGui(self):
        self.initProcessing()

    def unload(self):
        if self.preprocessor is not None:
            QgsNetworkAccessManager.removeRequestPreprocessor(self.preprocessor)
            self.preprocessor = None
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None

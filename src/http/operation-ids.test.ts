import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testServer } from '../../test/memory/test-server.ts';

/**
 * Clients are generated from these names: one that is here is never renamed, removed or given to another operation. A new
 * operation is a new line.
 */
const OPERATIONS = `
amendSubmission POST /traces/submissions/{submission_id}/amend
cancelForestTask DELETE /forest_polygon/{task_id}
cancelSubmission POST /traces/submissions/{submission_id}/cancel
cancelTask DELETE /tasks/{task_id}
changeWebhook PATCH /webhooks
checkFiling POST /traces/check
createToken POST /tokens
deleteCollection DELETE /collections/{collection_id}
diagnoseWebhookSignature POST /webhooks/verify
echoFiling POST /traces/echo
explainReceipt POST /explain_receipt
exportEudrDds GET /export_eudr_dds
fetchBiodiversity GET /fetch_biodiversity
fetchBiomassEmissions GET /fetch_biomass_emissions
fetchDeforestationCheck GET /fetch_deforestation_check
fetchPlots GET /fetch_plots
fetchSupplyShed GET /fetch_supply_shed
followTask GET /tasks/{task_id}/events
getBatchProgress GET /batch_progress
getCollection GET /collections/{collection_id}
getCollectionChanges GET /collections/{collection_id}/changes
getCollectionOf GET /get_collections/{collection_id}
getDatasets GET /datasets
getDocumentation GET /docs/{page}
getEudrAnnex GET /eudr/annex
getEudrCountries GET /eudr/countries
getEudrScope GET /eudr/scope
getFacilitySurroundings GET /facility_surroundings
getFalseColour GET /forest_polygon/false_colour
getFilingStatus GET /traces
getForestResults GET /forest_polygon/{task_id}/results
getForestTask GET /forest_polygon/{task_id}/status
getHealth GET /healthz
getIndex GET /
getLimits GET /limits
getMapFeatures GET /map_features
getMetrics GET /metrics
getOgcCollection GET /ogc/collections/{collection_id}
getOgcConformance GET /ogc/conformance
getOgcItem GET /ogc/collections/{collection_id}/items/{feature_id}
getOgcLanding GET /ogc
getOgcQueryables GET /ogc/collections/{collection_id}/queryables
getOgcTileSet GET /ogc/collections/{collection_id}/tiles/WebMercatorQuad
getOpenApi GET /openapi.json
getPrincipal GET /principal
getProblem GET /problems/{code}
getReadiness GET /readyz
getReviewHistory GET /reviews/{id}/{row}
getSigningKeys GET /.well-known/firstmile-signing-keys.json
getSigningKeysPem GET /.well-known/firstmile-signing-keys.pem
getSubmission GET /traces/submissions/{submission_id}
getTask GET /tasks/{task_id}
getTaskResults GET /tasks/{task_id}/results
getTile GET /tiles/{set_id}/{z}/{x}/{y}
getTileArchive GET /tiles/{set_id}/archive.pmtiles
getTileJson GET /tiles/{set_id}
getWatch GET /collections/{collection_id}/watch
getWatchRun GET /collections/{collection_id}/watch/runs/{run}
getWebhook GET /webhooks
getWebhookDelivery GET /webhooks/deliveries/{delivery_id}
listAudit GET /audit
listCollections GET /get_collections
listOgcCollections GET /ogc/collections
listOgcItems GET /ogc/collections/{collection_id}/items
listOgcTileSets GET /ogc/collections/{collection_id}/tiles
listReviews GET /reviews/{id}
listSubmissions GET /traces/submissions
listTasks GET /tasks
listTokens GET /tokens
listWatches GET /watches
listWebhookDeliveries GET /webhooks/deliveries
lookUpForestPolygons POST /forest_polygon/lookup
normalizeLocations POST /normalize_locations
processBatch POST /batch_process
recordReview POST /reviews/{id}
redeliverFailedWebhooks POST /webhooks/deliveries/redeliver
redeliverWebhook POST /webhooks/deliveries/{delivery_id}/redeliver
refreshSubmission POST /traces/submissions/{submission_id}/refresh
refreshToken POST /refresh_token
registerWebhook POST /webhooks/register
removeFilingCredentials DELETE /traces/credentials/{environment}
removeWebhook DELETE /webhooks/remove
retractSubmission POST /traces/submissions/{submission_id}/retract
retrieveStatement POST /traces/retrieve
revokeToken DELETE /tokens/{token_id}
rotateWebhookSecret POST /webhooks/rotate
searchParcel GET /cadastral/parcels/search
searchParcels POST /cadastral/parcels/search
setFilingCredentials PUT /traces/credentials/{environment}
showQueue GET /queue
splitPlots POST /plots/split
stagePlots POST /stage_plots
statSupplyShed GET /stat_supply_shed
submitFiling POST /traces/submissions
testWebhook POST /webhooks/test
unwatchCollection DELETE /collections/{collection_id}/watch
uploadPlots POST /upload_plots
validateFacilities POST /validate_facilities
validateFacility GET /validate_facility
validateLocations POST /validate_locations
verifyDeclaration POST /traces/verify
watchCollection POST /collections/{collection_id}/watch
`;

type Methods = Readonly<Record<string, { readonly operationId: string }>>;

describe('the ids of operations', () => {
  it('are those that clients were made with', async () => {
    await using server = testServer();
    const { paths } = (await server.app.inject('/openapi.json')).json<{ paths: Record<string, Methods> }>();
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(found.toSorted(), OPERATIONS.trim().split('\n').toSorted());
  });
});

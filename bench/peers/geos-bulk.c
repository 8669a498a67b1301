/* What vectorised shapely 2 (and pygeos before it) does in its ufuncs, for machines that have only shapely 1: an STRtree of GEOS over
   geometries made once, queried for many points in one call, without Python in the loop. */
#include <geos_c.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
  GEOSContextHandle_t geos;
  GEOSGeometry **items;
  long count;
  GEOSSTRtree *tree;
} Layer;

/* Lines, or closed rings as polygons, of `vertices` places each. */
Layer *layer_open(const double *xy, long count, int vertices, int polygons) {
  Layer *layer = malloc(sizeof *layer);
  layer->geos = GEOS_init_r();
  layer->count = count;
  layer->items = malloc(count * sizeof(GEOSGeometry *));
  layer->tree = GEOSSTRtree_create_r(layer->geos, 10);
  for (long i = 0; i < count; i++) {
    GEOSCoordSequence *line =
        GEOSCoordSeq_copyFromBuffer_r(layer->geos, xy + i * vertices * 2, vertices, 0, 0);
    layer->items[i] = polygons ? GEOSGeom_createPolygon_r(layer->geos, GEOSGeom_createLinearRing_r(layer->geos, line), NULL, 0)
                               : GEOSGeom_createLineString_r(layer->geos, line);
    GEOSSTRtree_insert_r(layer->geos, layer->tree, layer->items[i], (void *)(i + 1));
  }
  return layer;
}

typedef struct {
  Layer *layer;
  const GEOSPreparedGeometry *point;
  double distance;
  long found;
  double area;
  const double *areas;
} Question;

static void count(void *item, void *data) {
  (void)item;
  (*(long *)data)++;
}

/* As there: not prepared, and a little more is returned, so that neighbours as near are looked at too. */
static int distance_to(const void *item, const void *to, double *distance, void *data) {
  Question *question = data;
  double exact;
  if (GEOSDistance_r(question->layer->geos, to, question->layer->items[(long)item - 1], &exact) == 0) return 0;
  if (exact < question->distance) question->distance = exact;
  *distance = exact + 1e-6;
  return 1;
}

static GEOSGeometry *box_around(GEOSContextHandle_t geos, double x, double y, double distance) {
  return GEOSGeom_createRectangle_r(geos, x - distance, y - distance, x + distance, y + distance);
}

/* Metres to the nearest of each point, infinite beyond the limit. As there, points with nothing in the box of the limit are left out first. */
void layer_nearest(Layer *layer, const double *xy, long points, double limit, double *distances) {
  GEOSContextHandle_t geos = layer->geos;
  for (long i = 0; i < points; i++) {
    long near = 0;
    GEOSGeometry *box = box_around(geos, xy[2 * i], xy[2 * i + 1], limit);
    GEOSSTRtree_query_r(geos, layer->tree, box, count, &near);
    GEOSGeom_destroy_r(geos, box);
    distances[i] = INFINITY;
    if (near == 0) continue;
    GEOSGeometry *point = GEOSGeom_createPointFromXY_r(geos, xy[2 * i], xy[2 * i + 1]);
    Question question = {layer, NULL, INFINITY, 0, 0, NULL};
    GEOSSTRtree_nearest_generic_r(geos, layer->tree, point, point, distance_to, &question);
    if (question.distance <= limit) distances[i] = question.distance;
    GEOSGeom_destroy_r(geos, point);
  }
}

static void take(void *item, void *data) {
  Question *question = data;
  long i = (long)item - 1;
  if (GEOSPreparedDistanceWithin_r(question->layer->geos, question->point, question->layer->items[i], question->distance) != 1) return;
  question->found++;
  question->area += question->areas[i];
}

/* How many lie within the distance of each point, and the sum of their areas. */
void layer_within(Layer *layer, const double *xy, long points, double distance, const double *areas, long *counts, double *sums) {
  GEOSContextHandle_t geos = layer->geos;
  for (long i = 0; i < points; i++) {
    double x = xy[2 * i], y = xy[2 * i + 1];
    GEOSGeometry *point = GEOSGeom_createPointFromXY_r(geos, x, y);
    GEOSGeometry *box = box_around(geos, x, y, distance);
    Question question = {layer, GEOSPrepare_r(geos, point), distance, 0, 0, areas};
    GEOSSTRtree_query_r(geos, layer->tree, box, take, &question);
    counts[i] = question.found;
    sums[i] = question.area;
    GEOSPreparedGeom_destroy_r(geos, question.point);
    GEOSGeom_destroy_r(geos, box);
    GEOSGeom_destroy_r(geos, point);
  }
}

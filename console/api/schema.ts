// Generated from the OpenAPI document by `npm run build:api-types`; change the server and run it again.

export type Problem = {
  /** Page that describes the code. */
  type: string;
  title: string;
  status: number;
  /** One sentence that names what was wanted and what came. */
  detail: string;
  /** Stable; out of a closed list. */
  code: 'malformed_body' | 'malformed_file' | 'malformed_header' | 'malformed_query' | 'unauthenticated' | 'wrong_password' | 'invalid_token' | 'forbidden' | 'not_found' | 'task_not_found' | 'webhook_not_found' | 'delivery_not_found' | 'collection_not_found' | 'method_not_allowed' | 'not_acceptable' | 'request_timeout' | 'conflict' | 'idempotency_conflict' | 'task_not_ready' | 'task_failed' | 'task_cancelled' | 'collection_not_ready' | 'collection_busy' | 'collection_failed' | 'statistics_missing' | 'webhook_exists' | 'delivery_sending' | 'too_large' | 'storage_full' | 'uri_too_long' | 'unsupported_media_type' | 'invalid_parameter' | 'invalid_body' | 'invalid_geometry' | 'idempotency_mismatch' | 'webhook_url_not_https' | 'webhook_url_refused' | 'rate_limited' | 'quota_exceeded' | 'headers_too_large' | 'client_closed_request' | 'internal' | 'dependency_unavailable' | 'queue_full' | 'shutting_down';
  /** Finds the request in the logs. */
  request_id: string;
  errors?: {
    /** JSON pointer into the body, or /query/name, /path/name, /header/name. */
    pointer?: string;
    /** Position of the feature, from 0. */
    index?: number;
    code: string;
    detail: string;
  }[];
};

export interface Operations {
  /** Cancel a forest lookup. */
  cancelForestTask: {
    path: {
      task_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      task_id: string;
      /** A cancelled task is failed, with the error code task_cancelled. */
      status: 'processing' | 'completed' | 'failed';
      /** Points done and in all. */
      progress: {
        done: number;
        /** null until a worker has begun. */
        total: number | null;
      };
      /** Why it failed. */
      error: {
        code: string;
        detail: string;
      } | null;
      poll_url: string;
      results_url: string;
    };
  };
  /** Cancel a task. */
  cancelTask: {
    path: {
      task_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      task_id: string;
      kind: string;
      status: 'processing' | 'completed' | 'failed' | 'cancelled';
      /** Work done and total work, in features, points or tiles. */
      progress: {
        done: number;
        /** null until it is known. */
        total: number | null;
      };
      /** The current phase, where a task has phases; null otherwise. */
      phase: string | null;
      /** Times a worker has begun the task. */
      attempt: number;
      /** Why it failed. */
      error: {
        code: string;
        detail: string;
      } | null;
      /** Media type of the results. */
      result_type: string | null;
      created_at: string;
      finished_at: string | null;
      /** When the task and its results are deleted. */
      expires_at: string | null;
      poll_url: string;
      results_url: string;
      events_url: string;
    };
  };
  /** Change the address or the events of your webhook. */
  changeWebhook: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** Where events are sent: https, a public host name, port 443 or from 1024 up. */
      url?: string;
      /** Types of event that are wanted. batch_zonal_stats_complete and test_event are sent in any case. */
      events?: ('batch_zonal_stats_complete' | 'test_event' | 'batch_failed')[];
    };
    answer: {
      url: string;
      /** Types of event it gets. */
      events: ('batch_zonal_stats_complete' | 'test_event' | 'batch_failed')[];
      created_at: string;
      /** Until when the previous secret signs as well. */
      rotating_until: string | null;
      /** Consecutive events that did not reach the receiver in any attempt. */
      failures: number;
      /** Time since which new events wait, because too many failed in a row. */
      paused_at: string | null;
      /** When the next waiting event is tried. */
      next_trial_at: string | null;
      /** A caution about an address that was accepted: its host does not resolve at this moment. */
      warnings: {
        code: 'host_not_resolved';
        message: string;
      }[];
    };
  };
  /** Create an API token. */
  createToken: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** What it is for. */
      label: string;
      /** What it may do. */
      scopes: ('validate' | 'forest' | 'collections' | 'webhooks' | 'admin')[];
      /** Absent: it does not expire. */
      expires_in_days?: number;
      /** The local user it belongs to; default the caller. */
      email?: string;
    };
    answer: {
      /** Keep it: it is not shown again. */
      token: string;
      id: string;
      user_id: string;
      label: string;
      scopes: ('validate' | 'forest' | 'collections' | 'webhooks' | 'admin')[];
      created_at: string;
      expires_at: string | null;
      revoked_at: string | null;
      last_used_at: string | null;
    };
  };
  /** Delete a collection. */
  deleteCollection: {
    path: {
      collection_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      message: string;
    };
  };
  /** Find out why a signature does not verify. */
  diagnoseWebhookSignature: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** The request body as your receiver has it. */
      body: string;
      /** The X-Service-Webhook-Signature header as your receiver has it. */
      signature: string;
      /** The hex digest that your receiver computed; shows what went wrong. */
      computed?: string;
      /** The secret as your receiver holds it. */
      secret?: string;
      /** The delivery it belongs to: the body is compared with what was sent. */
      delivery_id?: string;
    };
    answer: {
      /** True when body, signature and secret fit together as given. */
      verified: boolean;
      /** Every mistake found. */
      findings: {
        code: 'header_missing' | 'header_malformed' | 'too_old' | 'too_new' | 'secret_empty' | 'secret_wrong' | 'secret_white_space' | 'secret_quoted' | 'secret_prefix_missing' | 'secret_base64_decoded' | 'body_empty' | 'body_not_text_of_json' | 'body_reserialised' | 'body_unescaped' | 'body_white_space' | 'body_byte_order_mark' | 'body_base64' | 'body_quoted' | 'body_differs' | 'time_left_out' | 'dot_left_out' | 'other_separator' | 'time_and_body_swapped' | 'time_in_milliseconds' | 'time_with_name' | 'standard_webhooks_message' | 'digest_upper_case' | 'digest_base64' | 'digest_not_hmac' | 'digest_other_hash' | 'key_and_message_swapped' | 'comparison' | 'unexplained';
        detail: string;
        fix: string;
      }[];
    };
  };
  /** The due diligence export of collections. */
  exportEudrDds: {
    path: Record<never, never>;
    query: {
      filename?: string;
      collections?: string;
      monitoring_start?: string;
      monitoring_end?: string;
      exclude?: string;
    };
    body: undefined;
    answer: {
      task_id: string;
      kind: string;
      status: 'processing' | 'completed' | 'failed' | 'cancelled';
      /** Work done and total work, in features, points or tiles. */
      progress: {
        done: number;
        /** null until it is known. */
        total: number | null;
      };
      /** The current phase, where a task has phases; null otherwise. */
      phase: string | null;
      /** Times a worker has begun the task. */
      attempt: number;
      /** Why it failed. */
      error: {
        code: string;
        detail: string;
      } | null;
      /** Media type of the results. */
      result_type: string | null;
      created_at: string;
      finished_at: string | null;
      /** When the task and its results are deleted. */
      expires_at: string | null;
      poll_url: string;
      results_url: string;
      events_url: string;
    };
  };
  /** Structural diversity, plot by plot. */
  fetchBiodiversity: {
    path: Record<never, never>;
    query: {
      filename: string;
      monitoring_start?: string;
      monitoring_end?: string;
      limit?: number;
      after?: string;
      aggregate?: boolean;
      plots_only?: boolean;
    };
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        /** GeoJSON geometry in EPSG:4326. */
        geometry: Record<string, unknown> | null;
        /** The properties of the normalised location, and these. */
        properties: {
          collection_id: string;
          /** Place in the file, from 0. */
          location_number: number;
          location_type: string;
          /** Of the whole collection, as stored when it was processed; null where validation was not requested. */
          location_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
          /** Why the location could not be measured. */
          problem: string | null;
          /** Geodesic hectares of the ground that was measured. */
          area_ha: number | null;
          /** `polygon`, or `circle` for a point with an area; null: not measured. */
          measured_ground: string | null;
          /** Rao's quadratic entropy over the pixels of the plot. */
          diversity_score: number | null;
          /** `measured` or `unknown`. */
          diversity_status: string | null;
          /** Why it is unknown. */
          diversity_reason: string | null;
          /** `canopy-height` or `embeddings`. */
          diversity_basis: string | null;
          diversity_year: number | null;
          /** The receipt: every dataset that was read, with its version and the share of the plot it covers. */
          datasets: {
            role: string;
            dataset: string;
            version: string;
            synthetic: boolean;
            [other: string]: unknown;
          }[];
          [other: string]: unknown;
        };
      }[];
      properties?: Record<string, unknown>;
    };
  };
  /** Biomass and emissions, plot by plot. */
  fetchBiomassEmissions: {
    path: Record<never, never>;
    query: {
      filename: string;
      monitoring_start?: string;
      monitoring_end?: string;
      limit?: number;
      after?: string;
      aggregate?: boolean;
      plots_only?: boolean;
    };
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        /** GeoJSON geometry in EPSG:4326. */
        geometry: Record<string, unknown> | null;
        /** The properties of the normalised location, and these. */
        properties: {
          collection_id: string;
          /** Place in the file, from 0. */
          location_number: number;
          location_type: string;
          /** Of the whole collection, as stored when it was processed; null where validation was not requested. */
          location_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
          /** Why the location could not be measured. */
          problem: string | null;
          /** Geodesic hectares of the ground that was measured. */
          area_ha: number | null;
          /** `polygon`, or `circle` for a point with an area; null: not measured. */
          measured_ground: string | null;
          /** Tonnes of CO2 a year by the change of biomass; below 0: taken up. */
          luc_tco2eyear: number | null;
          /** The same for a hectare. */
          luc_tco2ehayear: number | null;
          /** `measured` or `unknown`. */
          emissions_status: string | null;
          /** Why it is unknown. */
          emissions_reason: string | null;
          /** Year of the first of the two maps compared. */
          emissions_from_year: number | null;
          /** Year of the second. */
          emissions_to_year: number | null;
          /** Above-ground biomass in that year, tonnes of dry matter. */
          agb_t: number | null;
          /** Above-ground biomass by the year of the map, all there are. */
          agb_t_by_year: Record<string, number> | null;
          /** The receipt: every dataset that was read, with its version and the share of the plot it covers. */
          datasets: {
            role: string;
            dataset: string;
            version: string;
            synthetic: boolean;
            [other: string]: unknown;
          }[];
          monitoring_start: string;
          monitoring_end: string;
          [other: string]: unknown;
        };
      }[];
      properties?: Record<string, unknown>;
    };
  };
  /** Forest lost after 2020-12-31, plot by plot. */
  fetchDeforestationCheck: {
    path: Record<never, never>;
    query: {
      filename: string;
      monitoring_start?: string;
      monitoring_end?: string;
      limit?: number;
      after?: string;
      aggregate?: boolean;
      plots_only?: boolean;
    };
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        /** GeoJSON geometry in EPSG:4326. */
        geometry: Record<string, unknown> | null;
        /** The properties of the normalised location, and these. */
        properties: {
          collection_id: string;
          /** Place in the file, from 0. */
          location_number: number;
          location_type: string;
          /** Of the whole collection, as stored when it was processed; null where validation was not requested. */
          location_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
          /** Why the location could not be measured. */
          problem: string | null;
          /** Of the whole collection, as stored when it was processed; null where validation was not requested. */
          locations_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
          /** Geodesic hectares of the ground that was measured. */
          area_ha: number | null;
          /** `polygon`, or `circle` for a point with an area; null: not measured. */
          measured_ground: string | null;
          eudr_status: 'no_deforestation_found' | 'more_information_needed' | 'deforestation_found' | 'unknown' | 'not_a_plot';
          risk_level: 'low' | 'medium' | 'high' | 'unknown' | null;
          /** The finding as a sentence. */
          eudr_comment: string;
          /** `measured`, `partial` or `unknown`. */
          check_status: string | null;
          /** What is not covered or not known. */
          check_reason: string | null;
          /** Forest of 2020-12-31 that was lost after it, in the period; null: unknown. */
          noncompliance_area_ha: number | null;
          /** First day of the first year with such a loss. */
          deforestation_start: string | null;
          /** Last day of the last year with such a loss. */
          deforestation_end: string | null;
          /** Forest on 2020-12-31. */
          baseline_forest_ha: number | null;
          /** Trees lost in the period, in and outside that forest. */
          loss_ha_by_year: Record<string, number> | null;
          /** The part of it inside that forest. */
          loss_in_baseline_ha_by_year: Record<string, number> | null;
          /** Whether datasets of losses `agree` or `disagree`; `single`: only one has data. */
          agreement: string | null;
          /** The receipt: every dataset that was read, with its version and the share of the plot it covers. */
          datasets: {
            role: string;
            dataset: string;
            version: string;
            synthetic: boolean;
            [other: string]: unknown;
          }[];
          /** Last day of the period that losses are known of. */
          monitored_until: string | null;
          monitoring_start: string;
          monitoring_end: string;
          [other: string]: unknown;
        };
      }[];
      properties?: Record<string, unknown>;
    };
  };
  /** The locations of a collection. */
  fetchPlots: {
    path: Record<never, never>;
    query: {
      filename: string;
      monitoring_start?: string;
      monitoring_end?: string;
      limit?: number;
      after?: string;
      aggregate?: boolean;
      plots_only?: boolean;
    };
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        /** GeoJSON geometry in EPSG:4326. */
        geometry: Record<string, unknown> | null;
        /** The properties of the normalised location, and these. */
        properties: {
          collection_id: string;
          /** Place in the file, from 0. */
          location_number: number;
          location_type: string;
          /** Of the whole collection, as stored when it was processed; null where validation was not requested. */
          location_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
          /** Why the location could not be measured. */
          problem: string | null;
          [other: string]: unknown;
        };
      }[];
      properties?: Record<string, unknown>;
    };
  };
  /** What the supply sheds of facilities hold. */
  fetchSupplyShed: {
    path: Record<never, never>;
    query: {
      filename: string;
      monitoring_start?: string;
      monitoring_end?: string;
      limit?: number;
      after?: string;
      aggregate?: boolean;
      plots_only?: boolean;
      radius?: number;
      polygon?: string;
      plots?: string;
    };
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        /** GeoJSON geometry in EPSG:4326. */
        geometry: Record<string, unknown> | null;
        /** The properties of the normalised location, and these. */
        properties: {
          collection_id: string;
          /** Place in the file, from 0. */
          location_number: number;
          location_type: string;
          /** Of the whole collection, as stored when it was processed; null where validation was not requested. */
          location_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
          /** Why the location could not be measured. */
          problem: string | null;
          /** Of the whole collection, as stored when it was processed; null where validation was not requested. */
          locations_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
          /** `radius`, `column` or `parameter`. */
          supply_shed_kind: string | null;
          /** null for a polygon. */
          supply_shed_radius_m: number | null;
          /** Why there is no shed. */
          supply_shed_problem: string | null;
          /** Plots in the shed. */
          plots: number | null;
          /** Of the plots whose area is known; ground that plots of the shed share counts once, here and in all totals. */
          area_ha: number | null;
          /** Of plots that lie on earlier plots of the shed, which the totals leave out. */
          overlap_area_ha: number | null;
          /** false: some area may be counted twice in the totals. */
          overlaps_counted_once: boolean | null;
          /** Why it may be: plots that were not compared, or of different collections. */
          overlaps_reason: string | null;
          /** Forest of those plots on 2020-12-31. */
          baseline_forest_ha: number | null;
          /** The part of it lost after that day, in the period. */
          noncompliance_area_ha: number | null;
          luc_tco2eyear: number | null;
          /** Trees lost in the plots in the period. */
          loss_ha_by_year: Record<string, number> | null;
          /** The part of it inside the forest of 2020-12-31. */
          loss_in_baseline_ha_by_year: Record<string, number> | null;
          /** Of the area of the plots for which it is known. */
          noncompliance_share: number | null;
          /** Of the area of the plots for which it is known. */
          baseline_forest_share: number | null;
          /** Mean weighted by area. */
          luc_tco2ehayear: number | null;
          /** Mean weighted by area. */
          diversity_score: number | null;
          /** Plots by status. */
          eudr_status_counts: Record<string, number> | null;
          /** Plots by risk. */
          risk_level_counts: Record<string, number> | null;
          /** Plots by commodity. */
          commodity_type_counts: Record<string, number> | null;
          /** Share of the area of the plots by risk. */
          risk_level_area_shares: Record<string, number> | null;
          /** A plot, of those known. */
          means?: Record<string, number | null>;
          /** Plots in each total. */
          known?: Record<string, number>;
          /** Plots each total leaves out. */
          unknown?: Record<string, number>;
          /** The receipt: every dataset that was read, with its version and the share of the plot it covers. */
          datasets: {
            role: string;
            dataset: string;
            version: string;
            synthetic: boolean;
            [other: string]: unknown;
          }[];
          /** Metres from the facility to the nearest plot. */
          nearest_plot_m: number | null;
          /** Metres to the farthest plot. */
          farthest_plot_m: number | null;
          /** The collections whose plots were looked at. */
          plot_collections: string[];
          /** Left out, because a newer one is of the same file. */
          plot_collections_of_same_file: number;
          /** Left out, because there were too many plots. */
          plot_collections_left_out: number;
          monitoring_start: string;
          monitoring_end: string;
          plots_looked_at: number;
          /** Plots without a usable geometry, which no shed can hold. */
          plots_without_place: number;
          [other: string]: unknown;
        };
      }[];
      properties?: Record<string, unknown>;
    };
  };
  /** Follow a task. */
  followTask: {
    path: {
      task_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: unknown;
  };
  /** How far a batch is. */
  getBatchProgress: {
    path: Record<never, never>;
    query: {
      tracking_id: string;
    };
    body: undefined;
    answer: {
      collection_id: string;
      /** The same id, under the name that the fetch endpoints use. */
      filename: string;
      collection_name: string;
      description: string;
      status: 'staged' | 'processing' | 'completed' | 'failed' | 'cancelled';
      file: {
        name: string;
        /** Bytes. */
        size: number;
        sha256: string;
      };
      crop_type: string | null;
      stats: boolean | null;
      validate_locations: boolean | null;
      eudr_dds: boolean | null;
      monitoring_start: string | null;
      monitoring_end: string | null;
      counts: {
        locations: number;
        plots: number;
        facilities: number;
        /** Plots that any dataset has data on; everything about the others is unknown. */
        measured: number;
        /** Locations that could not be measured; each says why. */
        problems: number;
      } | null;
      locations_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
      confidence_counts: Record<string, number> | null;
      confidence_reasons: string[] | null;
      error: {
        code: string;
        detail: string;
      } | null;
      task_id: string | null;
      created_at: string;
      completed_at: string | null;
      collection_url: string;
      progress_url: string;
      urls: Record<string, string> | null;
      /** What the request should have had; the batch still runs. */
      warnings: {
        code: string;
        message: string;
      }[];
      mapping: {
        /** The sheet or layer. */
        name: string | null;
        header_row: number | null;
        /** Why the sheet or layer is left out. */
        skipped: string | null;
        columns: {
          column: string;
          field: string | null;
          confidence: number;
          why: string;
          /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
          order?: number;
        }[];
      }[] | null;
      poll_url: string | null;
      events_url: string | null;
      task: {
        task_id: string;
        kind: string;
        status: 'processing' | 'completed' | 'failed' | 'cancelled';
        /** Work done and total work, in features, points or tiles. */
        progress: {
          done: number;
          /** null until it is known. */
          total: number | null;
        };
        /** The current phase, where a task has phases; null otherwise. */
        phase: string | null;
        /** Times a worker has begun the task. */
        attempt: number;
        /** Why it failed. */
        error: {
          code: string;
          detail: string;
        } | null;
        /** Media type of the results. */
        result_type: string | null;
        created_at: string;
        finished_at: string | null;
        /** When the task and its results are deleted. */
        expires_at: string | null;
        poll_url: string;
        results_url: string;
        events_url: string;
      } | null;
    };
  };
  /** A collection. */
  getCollection: {
    path: {
      collection_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      collection_id: string;
      /** The same id, under the name that the fetch endpoints use. */
      filename: string;
      collection_name: string;
      description: string;
      status: 'staged' | 'processing' | 'completed' | 'failed' | 'cancelled';
      file: {
        name: string;
        /** Bytes. */
        size: number;
        sha256: string;
      };
      crop_type: string | null;
      stats: boolean | null;
      validate_locations: boolean | null;
      eudr_dds: boolean | null;
      monitoring_start: string | null;
      monitoring_end: string | null;
      counts: {
        locations: number;
        plots: number;
        facilities: number;
        /** Plots that any dataset has data on; everything about the others is unknown. */
        measured: number;
        /** Locations that could not be measured; each says why. */
        problems: number;
      } | null;
      locations_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
      confidence_counts: Record<string, number> | null;
      confidence_reasons: string[] | null;
      error: {
        code: string;
        detail: string;
      } | null;
      task_id: string | null;
      created_at: string;
      completed_at: string | null;
      collection_url: string;
      progress_url: string;
      urls: Record<string, string> | null;
      /** What the request should have had; the batch still runs. */
      warnings: {
        code: string;
        message: string;
      }[];
      mapping: {
        /** The sheet or layer. */
        name: string | null;
        header_row: number | null;
        /** Why the sheet or layer is left out. */
        skipped: string | null;
        columns: {
          column: string;
          field: string | null;
          confidence: number;
          why: string;
          /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
          order?: number;
        }[];
      }[] | null;
      poll_url: string | null;
      events_url: string | null;
      task: {
        task_id: string;
        kind: string;
        status: 'processing' | 'completed' | 'failed' | 'cancelled';
        /** Work done and total work, in features, points or tiles. */
        progress: {
          done: number;
          /** null until it is known. */
          total: number | null;
        };
        /** The current phase, where a task has phases; null otherwise. */
        phase: string | null;
        /** Times a worker has begun the task. */
        attempt: number;
        /** Why it failed. */
        error: {
          code: string;
          detail: string;
        } | null;
        /** Media type of the results. */
        result_type: string | null;
        created_at: string;
        finished_at: string | null;
        /** When the task and its results are deleted. */
        expires_at: string | null;
        poll_url: string;
        results_url: string;
        events_url: string;
      } | null;
      report_email: {
        /** `unknown`: it may have been delivered. `none`: there is none; `reason` says why. */
        state: 'queued' | 'sent' | 'failed' | 'unknown' | 'none';
        reason: string | null;
        to: string | null;
        next_attempt_at: string | null;
        finished_at: string | null;
      } | null;
    };
  };
  /** A collection. */
  getCollectionOf: {
    path: {
      collection_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      collection_id: string;
      /** The same id, under the name that the fetch endpoints use. */
      filename: string;
      collection_name: string;
      description: string;
      status: 'staged' | 'processing' | 'completed' | 'failed' | 'cancelled';
      file: {
        name: string;
        /** Bytes. */
        size: number;
        sha256: string;
      };
      crop_type: string | null;
      stats: boolean | null;
      validate_locations: boolean | null;
      eudr_dds: boolean | null;
      monitoring_start: string | null;
      monitoring_end: string | null;
      counts: {
        locations: number;
        plots: number;
        facilities: number;
        /** Plots that any dataset has data on; everything about the others is unknown. */
        measured: number;
        /** Locations that could not be measured; each says why. */
        problems: number;
      } | null;
      locations_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
      confidence_counts: Record<string, number> | null;
      confidence_reasons: string[] | null;
      error: {
        code: string;
        detail: string;
      } | null;
      task_id: string | null;
      created_at: string;
      completed_at: string | null;
      collection_url: string;
      progress_url: string;
      urls: Record<string, string> | null;
      /** What the request should have had; the batch still runs. */
      warnings: {
        code: string;
        message: string;
      }[];
      mapping: {
        /** The sheet or layer. */
        name: string | null;
        header_row: number | null;
        /** Why the sheet or layer is left out. */
        skipped: string | null;
        columns: {
          column: string;
          field: string | null;
          confidence: number;
          why: string;
          /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
          order?: number;
        }[];
      }[] | null;
      poll_url: string | null;
      events_url: string | null;
      task: {
        task_id: string;
        kind: string;
        status: 'processing' | 'completed' | 'failed' | 'cancelled';
        /** Work done and total work, in features, points or tiles. */
        progress: {
          done: number;
          /** null until it is known. */
          total: number | null;
        };
        /** The current phase, where a task has phases; null otherwise. */
        phase: string | null;
        /** Times a worker has begun the task. */
        attempt: number;
        /** Why it failed. */
        error: {
          code: string;
          detail: string;
        } | null;
        /** Media type of the results. */
        result_type: string | null;
        created_at: string;
        finished_at: string | null;
        /** When the task and its results are deleted. */
        expires_at: string | null;
        poll_url: string;
        results_url: string;
        events_url: string;
      } | null;
      report_email: {
        /** `unknown`: it may have been delivered. `none`: there is none; `reason` says why. */
        state: 'queued' | 'sent' | 'failed' | 'unknown' | 'none';
        reason: string | null;
        to: string | null;
        next_attempt_at: string | null;
        finished_at: string | null;
      } | null;
    };
  };
  /** Datasets the answers come from. */
  getDatasets: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      datasets: {
        id: string;
        /** The question it answers. */
        role: string;
        /** Its format. */
        kind: string;
        version: string;
        /** Date of the data. */
        date: string | null;
        licence: string;
        attribution: string;
        coverage: number[] | Record<string, unknown>;
        /** true for generated data that describes no real place. */
        synthetic: boolean;
        /** Where the theme of a regional pack is mapped; null for a dataset that is complete over all its coverage. */
        mapped: {
          /** false for packs made before this was measured; import them again. They never answer that there is nothing. */
          measured: boolean;
          /** Cells of the coverage, of about 1 km. */
          cells: number;
          /** Those of them where the theme is mapped. */
          mapped_cells: number;
          cell_degrees: number | null;
          /** Where the theme is mapped, to be drawn, at most 2,000 positions; null: nowhere. */
          area: Record<string, unknown> | null;
          /** Cells that the area follows: coarser ones where its outline would be long. */
          area_cell_degrees: number | null;
        } | null;
      }[];
    };
  };
  /** A page of the documentation. */
  getDocumentation: {
    path: {
      page: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: unknown;
  };
  /** The objects that counted around a facility. */
  getFacilitySurroundings: {
    path: Record<never, never>;
    query: {
      geometry: string;
      commodity_type?: string;
    };
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        /** A GeoJSON geometry. */
        geometry: Record<string, unknown>;
        properties: {
          theme: 'roads' | 'water' | 'buildings' | 'industrial' | 'businesses' | 'ports';
          /** Its kind, as its source calls it. */
          class: string;
          /** The same for people. */
          kind: string;
          name: string | null;
          dataset: string;
          dataset_version: string;
          /** true for generated data that describes no real place. */
          synthetic: boolean;
          /** The indicator it counts for. */
          indicator?: string;
          /** Metres on the ellipsoid; 0 where they touch. */
          distance_m?: number;
        };
      }[];
      properties: {
        /** Themes with more features than the limit. */
        truncated: ('roads' | 'water' | 'buildings' | 'industrial' | 'businesses' | 'ports')[];
        /** Datasets that could not be read: what they hold here is not known. */
        failed: {
          theme: 'roads' | 'water' | 'buildings' | 'industrial' | 'businesses' | 'ports';
          dataset: string;
          detail: string;
        }[];
      };
    };
  };
  /** The patches of a completed forest lookup. */
  getForestResults: {
    path: {
      task_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      /** Only when output_crs is not EPSG:4326. */
      crs?: {
        type: 'name';
        properties: {
          name: string;
        };
      };
      features: {
        type: 'Feature';
        id?: string | number;
        /** The patch in the output CRS; null when there is none. */
        geometry: {
          type: 'Polygon';
          coordinates: number[][][];
        } | null;
        /** Properties of the input are kept; a computed one of the same name wins. */
        properties: {
          /** The coordinates as they came. */
          input_point: number[] | null;
          /** Tier that answered: precomputed labels, or a live segmentation. null: none did. */
          source: 'plotids-store' | 'aef-watershed' | null;
          /** Year of the embeddings or of the store: the newest there is. */
          source_year: number | null;
          /** Why there is no polygon, or what has to be known about it. */
          warnings: {
            code: 'invalid_point' | 'outside_coverage' | 'nodata' | 'background' | 'source_unavailable' | 'outside_crs' | 'segment_truncated' | 'outline_redrawn' | 'smoothing_skipped' | 'synthetic_data';
            message: string;
          }[];
          /** Geodesic area, holes taken off. */
          area_ha: number | null;
          /** Geodesic length of all rings. */
          perimeter_m: number | null;
          /** The same from every point of the segment. */
          segment_id: string | null;
          /** By smoothing, in per cent; at most 1. */
          area_change_pct: number | null;
          /** Dataset that answered. */
          dataset: string | null;
          /** Its version. */
          dataset_version: string | null;
          /** true: the dataset is generated and describes no real place. */
          synthetic: boolean;
          /** The outline before smoothing as a GeoJSON polygon; only on request. */
          raw_outline?: Record<string, unknown> | null;
          [other: string]: unknown;
        };
      }[];
    };
  };
  /** The state of a forest lookup. */
  getForestTask: {
    path: {
      task_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      task_id: string;
      /** A cancelled task is failed, with the error code task_cancelled. */
      status: 'processing' | 'completed' | 'failed';
      /** Points done and in all. */
      progress: {
        done: number;
        /** null until a worker has begun. */
        total: number | null;
      };
      /** Why it failed. */
      error: {
        code: string;
        detail: string;
      } | null;
      poll_url: string;
      results_url: string;
    };
  };
  /** Whether the process answers. */
  getHealth: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      status: 'ok';
    };
  };
  /** Name, version and links. */
  getIndex: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      name: string;
      version: string;
      links: Record<string, string>;
    };
  };
  /** Every limit in force. */
  getLimits: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      limits: {
        name: string;
        /** null: not limited. */
        value: number | string | null;
        unit: string;
        description: string;
      }[];
    };
  };
  /** What regional packs hold in a box. */
  getMapFeatures: {
    path: Record<never, never>;
    query: {
      bbox: string;
      themes?: string;
      limit?: number;
    };
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        /** A GeoJSON geometry. */
        geometry: Record<string, unknown>;
        properties: {
          theme: 'roads' | 'water' | 'buildings' | 'industrial' | 'businesses' | 'ports';
          /** Its kind, as its source calls it. */
          class: string;
          /** The same for people. */
          kind: string;
          name: string | null;
          dataset: string;
          dataset_version: string;
          /** true for generated data that describes no real place. */
          synthetic: boolean;
          /** The indicator it counts for. */
          indicator?: string;
          /** Metres on the ellipsoid; 0 where they touch. */
          distance_m?: number;
        };
      }[];
      properties: {
        /** Themes with more features than the limit. */
        truncated: ('roads' | 'water' | 'buildings' | 'industrial' | 'businesses' | 'ports')[];
        /** Datasets that could not be read: what they hold here is not known. */
        failed: {
          theme: 'roads' | 'water' | 'buildings' | 'industrial' | 'businesses' | 'ports';
          dataset: string;
          detail: string;
        }[];
      };
    };
  };
  /** Measurements for Prometheus. */
  getMetrics: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: unknown;
  };
  /** This description. */
  getOpenApi: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Record<string, unknown>;
  };
  /** Who you are. */
  getPrincipal: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      user_id: string;
      /** Of a local user. */
      email: string | null;
      /** The kind of credential of the request. */
      kind: 'token' | 'bootstrap' | 'jwt' | 'internal';
      /** What it may do. */
      scopes: ('validate' | 'forest' | 'collections' | 'webhooks' | 'admin')[];
    };
  };
  /** What an error code means. */
  getProblem: {
    path: {
      code: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      code: string;
      status: number;
      title: string;
      when: string;
      remedy: string;
    };
  };
  /** Whether the service can do its work. */
  getReadiness: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      status: 'ready';
      checks: string[];
      /** What the operator should look at; requests are still answered. */
      notes: string[];
    };
  };
  /** The state of a task. */
  getTask: {
    path: {
      task_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      task_id: string;
      kind: string;
      status: 'processing' | 'completed' | 'failed' | 'cancelled';
      /** Work done and total work, in features, points or tiles. */
      progress: {
        done: number;
        /** null until it is known. */
        total: number | null;
      };
      /** The current phase, where a task has phases; null otherwise. */
      phase: string | null;
      /** Times a worker has begun the task. */
      attempt: number;
      /** Why it failed. */
      error: {
        code: string;
        detail: string;
      } | null;
      /** Media type of the results. */
      result_type: string | null;
      created_at: string;
      finished_at: string | null;
      /** When the task and its results are deleted. */
      expires_at: string | null;
      poll_url: string;
      results_url: string;
      events_url: string;
    };
  };
  /** The results of a completed task. */
  getTaskResults: {
    path: {
      task_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: unknown;
  };
  /** Your webhook. */
  getWebhook: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      url: string;
      /** Types of event it gets. */
      events: ('batch_zonal_stats_complete' | 'test_event' | 'batch_failed')[];
      created_at: string;
      /** Until when the previous secret signs as well. */
      rotating_until: string | null;
      /** Consecutive events that did not reach the receiver in any attempt. */
      failures: number;
      /** Time since which new events wait, because too many failed in a row. */
      paused_at: string | null;
      /** When the next waiting event is tried. */
      next_trial_at: string | null;
    };
  };
  /** One delivery with its attempts. */
  getWebhookDelivery: {
    path: {
      delivery_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      id: string;
      event_id: string;
      type: string;
      url: string;
      status: 'pending' | 'delivered' | 'failed' | 'cancelled';
      /** Attempts that ended. */
      attempts: number;
      /** True while an attempt is on its way. */
      sending: boolean;
      next_attempt_at: string | null;
      /** When the event was created, as in its payload. */
      created_at: string;
      finished_at: string | null;
      /** The body exactly as it is sent. */
      payload: string | null;
      /** Every attempt, the first one first. */
      attempts_log: {
        number: number;
        started_at: string;
        /** HTTP status of the answer. */
        status_code: number | null;
        /** Why it did not count as delivered; null when it did. */
        reason: 'status_2xx_not_200' | 'status_redirect' | 'status_4xx' | 'status_5xx' | 'status_other' | 'url_refused' | 'address_refused' | 'dns_not_found' | 'dns_failed' | 'connection_refused' | 'connection_failed' | 'connection_reset' | 'connection_closed' | 'connect_timeout' | 'tls_timeout' | 'tls_expired' | 'tls_not_yet_valid' | 'tls_self_signed' | 'tls_untrusted' | 'tls_wrong_name' | 'tls_failed' | 'answer_timeout' | 'answer_invalid' | 'answer_headers_too_large' | 'secret_unreadable' | 'sender_lost' | null;
        detail: string | null;
        /** The address the connection led to. */
        address: string | null;
        duration_ms: number;
        /** null where a step was not reached, or not needed on a kept connection. */
        timings: {
          dns_ms: number | null;
          connect_ms: number | null;
          tls_ms: number | null;
          first_byte_ms: number | null;
        };
        /** Beginning of the answer, up to 16 KiB. */
        response_excerpt: string | null;
        next_attempt_at: string | null;
      }[];
    };
  };
  /** Administrative acts, newest first. */
  listAudit: {
    path: Record<never, never>;
    query: {
      limit?: number;
      before?: string;
      act?: 'user_added' | 'password_changed' | 'user_removed' | 'user_data_given' | 'token_created' | 'token_revoked' | 'webhook_registered' | 'webhook_changed' | 'webhook_removed' | 'webhook_secret_rotated' | 'secrets_resealed' | 'dataset_imported' | 'dataset_removed' | 'model_installed' | 'model_removed';
    };
    body: undefined;
    answer: {
      acts: {
        id: string;
        at: string;
        /** A user id, or `name@machine` of whoever ran a command. */
        actor: string;
        /** The credential used, such as `token:<id>`; `command` for the command line. */
        credential: string;
        /** The client's address, or the command. */
        source: string;
        act: 'user_added' | 'password_changed' | 'user_removed' | 'user_data_given' | 'token_created' | 'token_revoked' | 'webhook_registered' | 'webhook_changed' | 'webhook_removed' | 'webhook_secret_rotated' | 'secrets_resealed' | 'dataset_imported' | 'dataset_removed' | 'model_installed' | 'model_removed';
        /** What was changed. */
        target: string;
        detail: Record<string, unknown>;
      }[];
      /** Give it as `before` to get the next page; null on the last. */
      next: string | null;
    };
  };
  /** Your collections, newest first. */
  listCollections: {
    path: Record<never, never>;
    query: {
      limit?: number;
      before?: string;
    };
    body: undefined;
    answer: {
      collections: {
        collection_id: string;
        /** The same id, under the name that the fetch endpoints use. */
        filename: string;
        collection_name: string;
        description: string;
        status: 'staged' | 'processing' | 'completed' | 'failed' | 'cancelled';
        file: {
          name: string;
          /** Bytes. */
          size: number;
          sha256: string;
        };
        crop_type: string | null;
        stats: boolean | null;
        validate_locations: boolean | null;
        eudr_dds: boolean | null;
        monitoring_start: string | null;
        monitoring_end: string | null;
        counts: {
          locations: number;
          plots: number;
          facilities: number;
          /** Plots that any dataset has data on; everything about the others is unknown. */
          measured: number;
          /** Locations that could not be measured; each says why. */
          problems: number;
        } | null;
        locations_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
        confidence_counts: Record<string, number> | null;
        confidence_reasons: string[] | null;
        error: {
          code: string;
          detail: string;
        } | null;
        task_id: string | null;
        created_at: string;
        completed_at: string | null;
        collection_url: string;
        progress_url: string;
        urls: Record<string, string> | null;
      }[];
      /** Give it as `before` to get the next page; null on the last. */
      next: string | null;
    };
  };
  /** Your tasks, newest first. */
  listTasks: {
    path: Record<never, never>;
    query: {
      limit?: number;
      before?: string;
      status?: 'processing' | 'completed' | 'failed' | 'cancelled';
    };
    body: undefined;
    answer: {
      tasks: {
        task_id: string;
        kind: string;
        status: 'processing' | 'completed' | 'failed' | 'cancelled';
        /** Work done and total work, in features, points or tiles. */
        progress: {
          done: number;
          /** null until it is known. */
          total: number | null;
        };
        /** The current phase, where a task has phases; null otherwise. */
        phase: string | null;
        /** Times a worker has begun the task. */
        attempt: number;
        /** Why it failed. */
        error: {
          code: string;
          detail: string;
        } | null;
        /** Media type of the results. */
        result_type: string | null;
        created_at: string;
        finished_at: string | null;
        /** When the task and its results are deleted. */
        expires_at: string | null;
        poll_url: string;
        results_url: string;
        events_url: string;
      }[];
      /** Give it as `before` to get the next page; null on the last. */
      next: string | null;
    };
  };
  /** API tokens. */
  listTokens: {
    path: Record<never, never>;
    query: {
      include_revoked?: boolean;
    };
    body: undefined;
    answer: {
      tokens: {
        id: string;
        user_id: string;
        label: string;
        scopes: ('validate' | 'forest' | 'collections' | 'webhooks' | 'admin')[];
        created_at: string;
        expires_at: string | null;
        revoked_at: string | null;
        last_used_at: string | null;
      }[];
    };
  };
  /** Your deliveries, newest first. */
  listWebhookDeliveries: {
    path: Record<never, never>;
    query: {
      status?: 'pending' | 'delivered' | 'failed' | 'cancelled';
      since?: string;
      limit?: number;
      before?: string;
    };
    body: undefined;
    answer: {
      deliveries: {
        id: string;
        event_id: string;
        type: string;
        url: string;
        status: 'pending' | 'delivered' | 'failed' | 'cancelled';
        /** Attempts that ended. */
        attempts: number;
        /** True while an attempt is on its way. */
        sending: boolean;
        next_attempt_at: string | null;
        /** When the event was created, as in its payload. */
        created_at: string;
        finished_at: string | null;
      }[];
      /** Give it as `before` to get the next page; null on the last. */
      next: string | null;
    };
  };
  /** The forest patches that hold points. */
  lookUpForestPolygons: {
    path: Record<never, never>;
    query: {
      async_mode?: boolean;
    };
    body: {
      type?: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        geometry: {
          type: 'Point';
          /** Longitude, latitude in degrees, and a height, which is left out. */
          coordinates: number[];
        };
        /** Returned with the result; a computed property of the same name wins. */
        properties?: Record<string, unknown> | null;
      }[];
      /** CRS of the returned geometries: any EPSG code with a verified definition. x (easting, longitude) always comes first. */
      output_crs?: string;
      /** true also gives each outline along its cells before smoothing, as the property `raw_outline`. */
      raw_outline?: boolean;
    } | {
      type?: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        geometry: {
          type: 'Point';
          /** Longitude, latitude in degrees, and a height, which is left out. */
          coordinates: number[];
        };
        /** Returned with the result; a computed property of the same name wins. */
        properties?: Record<string, unknown> | null;
      }[];
      /** CRS of the returned geometries: any EPSG code with a verified definition. x (easting, longitude) always comes first. */
      output_crs?: string;
      /** true also gives each outline along its cells before smoothing, as the property `raw_outline`. */
      raw_outline?: boolean;
    };
    answer: {
      type: 'FeatureCollection';
      /** Only when output_crs is not EPSG:4326. */
      crs?: {
        type: 'name';
        properties: {
          name: string;
        };
      };
      features: {
        type: 'Feature';
        id?: string | number;
        /** The patch in the output CRS; null when there is none. */
        geometry: {
          type: 'Polygon';
          coordinates: number[][][];
        } | null;
        /** Properties of the input are kept; a computed one of the same name wins. */
        properties: {
          /** The coordinates as they came. */
          input_point: number[] | null;
          /** Tier that answered: precomputed labels, or a live segmentation. null: none did. */
          source: 'plotids-store' | 'aef-watershed' | null;
          /** Year of the embeddings or of the store: the newest there is. */
          source_year: number | null;
          /** Why there is no polygon, or what has to be known about it. */
          warnings: {
            code: 'invalid_point' | 'outside_coverage' | 'nodata' | 'background' | 'source_unavailable' | 'outside_crs' | 'segment_truncated' | 'outline_redrawn' | 'smoothing_skipped' | 'synthetic_data';
            message: string;
          }[];
          /** Geodesic area, holes taken off. */
          area_ha: number | null;
          /** Geodesic length of all rings. */
          perimeter_m: number | null;
          /** The same from every point of the segment. */
          segment_id: string | null;
          /** By smoothing, in per cent; at most 1. */
          area_change_pct: number | null;
          /** Dataset that answered. */
          dataset: string | null;
          /** Its version. */
          dataset_version: string | null;
          /** true: the dataset is generated and describes no real place. */
          synthetic: boolean;
          /** The outline before smoothing as a GeoJSON polygon; only on request. */
          raw_outline?: Record<string, unknown> | null;
          [other: string]: unknown;
        };
      }[];
    } | {
      task_id: string;
      /** A cancelled task is failed, with the error code task_cancelled. */
      status: 'processing' | 'completed' | 'failed';
      /** Points done and in all. */
      progress: {
        done: number;
        /** null until a worker has begun. */
        total: number | null;
      };
      /** Why it failed. */
      error: {
        code: string;
        detail: string;
      } | null;
      poll_url: string;
      results_url: string;
    };
  };
  /** Normalise the locations of a file. */
  normalizeLocations: {
    path: Record<never, never>;
    query: {
      async_mode?: boolean;
    };
    body: {
      /** GeoJSON, zipped shapefile, GeoPackage, GeoParquet, KML, KMZ, CSV, TSV or XLSX; its content decides, not its name. */
      file: string;
      /** Type of every row. Without it each row is routed by what it says and looks like. */
      location_type?: 'facility' | 'plot';
      /** rubber, palm, cocoa, coffee, soy, timber or cattle, or a usual synonym. Anything else, or nothing, uses the generic plantation mask and warns. */
      commodity_type?: string;
      /** Country of rows that do not name one: an ISO code or a usual name. */
      country?: string;
      /** JSON object: their column to our field, or to null to leave it alone. Fields: geometry, latitude, longitude, coordinates, easting, northing, utm_zone, hemisphere, epsg, location_id, supplier_name, name, production_place, country, admin1, locality, address, location_type, commodity_type, area. */
      mapping?: string;
      /** Find rows without coordinates by their address. */
      geocode?: boolean;
      /** EPSG code of coordinates whose system the file does not name. */
      crs?: string;
      /** Sheet or layer to read, or a JSON list of them. Without it all that hold locations. */
      sheets?: string;
    };
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        /** Longitude first, WGS84; null where no place is known. */
        geometry: Record<string, unknown> | null;
        properties: {
          location_id: string | number | null;
          location_type: 'facility' | 'plot';
          name: string | null;
          supplier_name: string | null;
          address: string | null;
          admin1: string | null;
          /** Short English name. */
          country: string | null;
          /** ISO 3166-1 alpha-2. */
          country_code: string | null;
          commodity_type: string | null;
          /** Measured on the ellipsoid for a polygon, as stated for a point. */
          area_ha: number | null;
          geometry_source: 'input' | 'geocoded' | 'none';
          geocode_precision: 'exact' | 'street' | 'locality' | 'region' | 'country' | null;
          /** Probability that the place lies within 25 km of the point, 0 to 1. */
          geocode_confidence: number | null;
          /** As the spreadsheet shows it; in files without rows the number of the feature, from 1. */
          source_row: number;
          source_sheet?: string;
          eudr: {
            ProducerName: string | null;
            ProducerCountry: string | null;
            ProductionPlace: string | null;
            Area: number | null;
          };
          /** Where each value of `eudr` comes from; null where it has none. */
          eudr_origin: {
            ProducerName: {
              from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
              /** The heading in the input. */
              column?: string;
            } | null;
            ProducerCountry: {
              from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
              /** The heading in the input. */
              column?: string;
            } | null;
            ProductionPlace: {
              from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
              /** The heading in the input. */
              column?: string;
            } | null;
            Area: {
              from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
              /** The heading in the input. */
              column?: string;
            } | null;
          };
          warnings: {
            code: string;
            /** What is wrong; begins with the row, column and value. */
            message: string;
            fix: string;
            row: number;
            column?: string;
            value?: string;
          }[];
          /** The input's own columns. */
          source: Record<string, unknown>;
        };
      }[];
      properties: {
        format: string;
        total: number;
        by_type: {
          facility: number;
          plot: number;
        };
        by_geometry_source: {
          input: number;
          geocoded: number;
          none: number;
        };
        by_precision: {
          exact: number;
          street: number;
          locality: number;
          region: number;
          country: number;
        };
        warnings: {
          code: string;
          count: number;
          fix: string;
        }[];
        tables: {
          name: string | null;
          header_row: number | null;
          rows: number;
          /** Why the sheet or layer was left out. */
          skipped: string | null;
          /** What each column was taken for, and why. */
          columns: {
            column: string;
            field: string | null;
            confidence: number;
            why: string;
            /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
            order?: number;
          }[];
        }[];
        /** What was assumed about the file as a whole. */
        remarks: string[];
        /** The datasets that countries and geocoded places come from. */
        datasets: {
          id: string;
          version: string;
          licence: string;
          attribution: string;
          synthetic: boolean;
        }[];
      };
    } | {
      task_id: string;
      kind: string;
      status: 'processing' | 'completed' | 'failed' | 'cancelled';
      /** Work done and total work, in features, points or tiles. */
      progress: {
        done: number;
        /** null until it is known. */
        total: number | null;
      };
      /** The current phase, where a task has phases; null otherwise. */
      phase: string | null;
      /** Times a worker has begun the task. */
      attempt: number;
      /** Why it failed. */
      error: {
        code: string;
        detail: string;
      } | null;
      /** Media type of the results. */
      result_type: string | null;
      created_at: string;
      finished_at: string | null;
      /** When the task and its results are deleted. */
      expires_at: string | null;
      poll_url: string;
      results_url: string;
      events_url: string;
    };
  };
  /** Process a collection. */
  processBatch: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** GeoJSON, zipped shapefile, GeoPackage, GeoParquet, KML, KMZ, CSV, TSV or XLSX; its content decides, not its name. */
      file?: string;
      /** Id of a staged collection, instead of a file. */
      filename?: string;
      /** What you call it. */
      collection_name?: string;
      /** Commodity of locations that do not name one. */
      crop_type?: string;
      /** Returned with it and in its event. */
      description?: string;
      /** Measure every plot: forest, loss, biomass, diversity. */
      stats?: boolean;
      /** Validate every location as `/validate_locations` does, which gives it a confidence. */
      validate_locations?: boolean;
      /** Answer 200 with the mapping of columns, counts and problems, and keep nothing. */
      dry_run?: boolean;
      /** Send the EUDR due diligence report by email. */
      eudr_dds?: boolean;
      /** First day of the monitoring, before the cut-off date 2020-12-31; default 2017-01-01. */
      monitoring_start?: string;
      /** Last day of it, after the cut-off date; default today. */
      monitoring_end?: string;
      /** Type of every row. Without it each row is routed by what it says and looks like. */
      location_type?: 'facility' | 'plot';
      /** Country of rows that do not name one: an ISO code or a usual name. */
      country?: string;
      /** JSON object: their column to our field, or to null to leave it alone. Fields: geometry, latitude, longitude, coordinates, easting, northing, utm_zone, hemisphere, epsg, location_id, supplier_name, name, production_place, country, admin1, locality, address, location_type, commodity_type, area. */
      mapping?: string;
      /** Find rows without coordinates by their address. */
      geocode?: boolean;
      /** EPSG code of coordinates whose system the file does not name. */
      crs?: string;
      /** Sheet or layer to read, or a JSON list of them. Without it all that hold locations. */
      sheets?: string;
    };
    answer: {
      dry_run: true;
      format: string;
      /** What each column of each table was taken for, how surely, and why; `mapping` of the request overrides it. */
      mapping: {
        /** The sheet or layer. */
        name: string | null;
        header_row: number | null;
        /** Why the sheet or layer is left out. */
        skipped: string | null;
        columns: {
          column: string;
          field: string | null;
          confidence: number;
          why: string;
          /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
          order?: number;
        }[];
      }[];
      counts: {
        locations: number;
        plots: number;
        facilities: number;
        /** Rows with coordinates or a geometry. */
        with_geometry: number;
        /** Rows whose address would be looked up. */
        to_geocode: number;
        /** Rows that will stay without a place. */
        without_place: number;
        /** Different producers of plots, counted to 100,000. */
        producers: number;
        plots_without_producer: number;
      };
      /** The warnings of the rows, the most common first, each with its first message. */
      problems: {
        code: string;
        count: number;
        example: string;
        fix: string;
      }[];
      /** What was assumed about the file as a whole. */
      remarks: string[];
      /** The first rows as they were read. */
      sample: {
        source_row: number;
        location_id: string | number | null;
        location_type: string;
        name: string | null;
        country: string | null;
        commodity_type: string | null;
        eudr: {
          ProducerName: string | null;
          ProducerCountry: string | null;
          ProductionPlace: string | null;
          Area: number | null;
        };
        /** Where each value of `eudr` comes from; null where it has none. */
        eudr_origin: {
          ProducerName: {
            from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
            /** The heading in the input. */
            column?: string;
          } | null;
          ProducerCountry: {
            from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
            /** The heading in the input. */
            column?: string;
          } | null;
          ProductionPlace: {
            from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
            /** The heading in the input. */
            column?: string;
          } | null;
          Area: {
            from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
            /** The heading in the input. */
            column?: string;
          } | null;
        };
      }[];
    } | {
      collection_id: string;
      /** The same id, under the name that the fetch endpoints use. */
      filename: string;
      collection_name: string;
      description: string;
      status: 'staged' | 'processing' | 'completed' | 'failed' | 'cancelled';
      file: {
        name: string;
        /** Bytes. */
        size: number;
        sha256: string;
      };
      crop_type: string | null;
      stats: boolean | null;
      validate_locations: boolean | null;
      eudr_dds: boolean | null;
      monitoring_start: string | null;
      monitoring_end: string | null;
      counts: {
        locations: number;
        plots: number;
        facilities: number;
        /** Plots that any dataset has data on; everything about the others is unknown. */
        measured: number;
        /** Locations that could not be measured; each says why. */
        problems: number;
      } | null;
      locations_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
      confidence_counts: Record<string, number> | null;
      confidence_reasons: string[] | null;
      error: {
        code: string;
        detail: string;
      } | null;
      task_id: string | null;
      created_at: string;
      completed_at: string | null;
      collection_url: string;
      progress_url: string;
      urls: Record<string, string> | null;
      /** What the request should have had; the batch still runs. */
      warnings: {
        code: string;
        message: string;
      }[];
      mapping: {
        /** The sheet or layer. */
        name: string | null;
        header_row: number | null;
        /** Why the sheet or layer is left out. */
        skipped: string | null;
        columns: {
          column: string;
          field: string | null;
          confidence: number;
          why: string;
          /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
          order?: number;
        }[];
      }[] | null;
      poll_url: string | null;
      events_url: string | null;
      task: {
        task_id: string;
        kind: string;
        status: 'processing' | 'completed' | 'failed' | 'cancelled';
        /** Work done and total work, in features, points or tiles. */
        progress: {
          done: number;
          /** null until it is known. */
          total: number | null;
        };
        /** The current phase, where a task has phases; null otherwise. */
        phase: string | null;
        /** Times a worker has begun the task. */
        attempt: number;
        /** Why it failed. */
        error: {
          code: string;
          detail: string;
        } | null;
        /** Media type of the results. */
        result_type: string | null;
        created_at: string;
        finished_at: string | null;
        /** When the task and its results are deleted. */
        expires_at: string | null;
        poll_url: string;
        results_url: string;
        events_url: string;
      } | null;
    };
  };
  /** Send everything again that failed. */
  redeliverFailedWebhooks: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** Events created then or later. */
      since: string;
    };
    answer: {
      /** Deliveries that are sent again. */
      redelivered: number;
      /** True when there may be more: call again. */
      more: boolean;
    };
  };
  /** Send a delivery again. */
  redeliverWebhook: {
    path: {
      delivery_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** Deliveries that are sent again. */
      redelivered: number;
      /** True when there may be more: call again. */
      more: boolean;
    };
  };
  /** Exchange email and password for an access token. */
  refreshToken: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      email: string;
      password: string;
    };
    answer: {
      /** A JWT for Authorization: Bearer. */
      access_token: string;
      token_type: 'Bearer';
      /** Seconds. */
      expires_in: number;
    };
  };
  /** Register your webhook. */
  registerWebhook: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** Where events are sent: https, a public host name, port 443 or from 1024 up. */
      url: string;
      /** Types of event that are wanted. batch_zonal_stats_complete and test_event are sent in any case. */
      events?: ('batch_zonal_stats_complete' | 'test_event' | 'batch_failed')[];
    };
    answer: {
      url: string;
      /** Signs every webhook. Keep it: it is not shown again. */
      client_secret: string;
      /** Types of event it gets. */
      events: ('batch_zonal_stats_complete' | 'test_event' | 'batch_failed')[];
      /** A caution about an address that was accepted: its host does not resolve at this moment. */
      warnings: {
        code: 'host_not_resolved';
        message: string;
      }[];
    };
  };
  /** Remove your webhook. */
  removeWebhook: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      message: string;
    };
  };
  /** Revoke an API token. */
  revokeToken: {
    path: {
      token_id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: unknown;
  };
  /** Get a new secret. */
  rotateWebhookSecret: {
    path: Record<never, never>;
    query: {
      revoke_now?: boolean;
    };
    body: undefined;
    answer: {
      url: string;
      /** Signs every webhook. Keep it: it is not shown again. */
      client_secret: string;
    };
  };
  /** The parcel that holds a point. */
  searchParcel: {
    path: Record<never, never>;
    query: {
      lon: number;
      lat: number;
      forest_fallback?: boolean;
      output_crs?: string;
    };
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      /** Only when output_crs is not EPSG:4326. */
      crs?: {
        type: 'name';
        properties: {
          name: string;
        };
      };
      features: {
        type: 'Feature';
        id?: string | number;
        /** The parcel, or the forest patch, in the output CRS; null when there is none. */
        geometry: {
          type: 'Polygon';
          coordinates: number[][][];
        } | {
          type: 'MultiPolygon';
          coordinates: number[][][][];
        } | null;
        /** Properties of the input are kept; a computed one of the same name wins. A feature of the forest fallback has those of `/forest_polygon/lookup`. */
        properties: {
          /** The coordinates as they came. */
          input_point: number[] | null;
          /** `parcels`: a parcel dataset covers the place. The others: the forest fallback answered. null: nothing did. */
          source: 'parcels' | 'plotids-store' | 'aef-watershed' | null;
          /** As the cadastre writes it. */
          parcel_id?: string | null;
          /** Such as `CA-BC` or `US-WI-025`. */
          jurisdiction?: string | null;
          /** What the cadastre says of the parcel. */
          attributes?: Record<string, unknown> | null;
          /** Geodesic area, holes taken off. */
          area_ha: number | null;
          /** Geodesic length of all rings. */
          perimeter_m: number | null;
          /** Dataset that answered. */
          dataset: string | null;
          /** Its version; of a live service the day of the answer. */
          dataset_version: string | null;
          /** When a live service gave the answer. */
          retrieved_at?: string | null;
          /** true: the dataset is generated and describes no real place. */
          synthetic: boolean;
          /** Why there is no polygon, or what has to be known about it. Of a parcel one of invalid_point, outside_parcel_footprint, no_parcel, source_unavailable, forest_unavailable, forest_pending, outside_crs, several_parcels, on_boundary, more_parcels, other_source_failed, invalid_parcel_geometry, kept_answer, synthetic_data. */
          warnings: {
            code: string;
            message: string;
          }[];
          /** Only with `forest_pending`: the forest task that goes on. */
          forest_task?: {
            task_id: string;
            /** Position of this feature among the results of the task, from 0. */
            index: number;
            poll_url: string;
            results_url: string;
          };
          [other: string]: unknown;
        };
      }[];
    };
  };
  /** The parcels that hold points. */
  searchParcels: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      type?: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        geometry: {
          type: 'Point';
          /** Longitude, latitude in degrees, and a height, which is left out. */
          coordinates: number[];
        };
        /** Returned with the result; a computed property of the same name wins. */
        properties?: Record<string, unknown> | null;
      }[];
      /** true: a point outside the coverage of every parcel dataset is answered by the forest patch that holds it. */
      forest_fallback?: boolean;
      /** CRS of the returned geometries: any EPSG code with a verified definition. x (easting, longitude) always comes first. */
      output_crs?: string;
    } | {
      type?: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        geometry: {
          type: 'Point';
          /** Longitude, latitude in degrees, and a height, which is left out. */
          coordinates: number[];
        };
        /** Returned with the result; a computed property of the same name wins. */
        properties?: Record<string, unknown> | null;
      }[];
      /** true: a point outside the coverage of every parcel dataset is answered by the forest patch that holds it. */
      forest_fallback?: boolean;
      /** CRS of the returned geometries: any EPSG code with a verified definition. x (easting, longitude) always comes first. */
      output_crs?: string;
    };
    answer: {
      type: 'FeatureCollection';
      /** Only when output_crs is not EPSG:4326. */
      crs?: {
        type: 'name';
        properties: {
          name: string;
        };
      };
      features: {
        type: 'Feature';
        id?: string | number;
        /** The parcel, or the forest patch, in the output CRS; null when there is none. */
        geometry: {
          type: 'Polygon';
          coordinates: number[][][];
        } | {
          type: 'MultiPolygon';
          coordinates: number[][][][];
        } | null;
        /** Properties of the input are kept; a computed one of the same name wins. A feature of the forest fallback has those of `/forest_polygon/lookup`. */
        properties: {
          /** The coordinates as they came. */
          input_point: number[] | null;
          /** `parcels`: a parcel dataset covers the place. The others: the forest fallback answered. null: nothing did. */
          source: 'parcels' | 'plotids-store' | 'aef-watershed' | null;
          /** As the cadastre writes it. */
          parcel_id?: string | null;
          /** Such as `CA-BC` or `US-WI-025`. */
          jurisdiction?: string | null;
          /** What the cadastre says of the parcel. */
          attributes?: Record<string, unknown> | null;
          /** Geodesic area, holes taken off. */
          area_ha: number | null;
          /** Geodesic length of all rings. */
          perimeter_m: number | null;
          /** Dataset that answered. */
          dataset: string | null;
          /** Its version; of a live service the day of the answer. */
          dataset_version: string | null;
          /** When a live service gave the answer. */
          retrieved_at?: string | null;
          /** true: the dataset is generated and describes no real place. */
          synthetic: boolean;
          /** Why there is no polygon, or what has to be known about it. Of a parcel one of invalid_point, outside_parcel_footprint, no_parcel, source_unavailable, forest_unavailable, forest_pending, outside_crs, several_parcels, on_boundary, more_parcels, other_source_failed, invalid_parcel_geometry, kept_answer, synthetic_data. */
          warnings: {
            code: string;
            message: string;
          }[];
          /** Only with `forest_pending`: the forest task that goes on. */
          forest_task?: {
            task_id: string;
            /** Position of this feature among the results of the task, from 0. */
            index: number;
            poll_url: string;
            results_url: string;
          };
          [other: string]: unknown;
        };
      }[];
    };
  };
  /** Keep a file of locations. */
  stagePlots: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** GeoJSON, zipped shapefile, GeoPackage, GeoParquet, KML, KMZ, CSV, TSV or XLSX; its content decides, not its name. */
      file: string;
      /** The other fields as one JSON object. */
      request_data?: string;
      /** What you call it. */
      collection_name?: string;
      /** Returned with it and in its event. */
      description?: string;
      /** Commodity of locations that do not name one. */
      crop_type?: string;
      /** Validate every location as `/validate_locations` does, which gives it a confidence. */
      validate_locations?: boolean;
      /** Answer 200 with the mapping of columns, counts and problems, and keep nothing. */
      dry_run?: boolean;
      /** Type of every row. Without it each row is routed by what it says and looks like. */
      location_type?: 'facility' | 'plot';
      /** Country of rows that do not name one: an ISO code or a usual name. */
      country?: string;
      /** JSON object: their column to our field, or to null to leave it alone. Fields: geometry, latitude, longitude, coordinates, easting, northing, utm_zone, hemisphere, epsg, location_id, supplier_name, name, production_place, country, admin1, locality, address, location_type, commodity_type, area. */
      mapping?: string;
      /** Find rows without coordinates by their address. */
      geocode?: boolean;
      /** EPSG code of coordinates whose system the file does not name. */
      crs?: string;
      /** Sheet or layer to read, or a JSON list of them. Without it all that hold locations. */
      sheets?: string;
    };
    answer: {
      dry_run: true;
      format: string;
      /** What each column of each table was taken for, how surely, and why; `mapping` of the request overrides it. */
      mapping: {
        /** The sheet or layer. */
        name: string | null;
        header_row: number | null;
        /** Why the sheet or layer is left out. */
        skipped: string | null;
        columns: {
          column: string;
          field: string | null;
          confidence: number;
          why: string;
          /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
          order?: number;
        }[];
      }[];
      counts: {
        locations: number;
        plots: number;
        facilities: number;
        /** Rows with coordinates or a geometry. */
        with_geometry: number;
        /** Rows whose address would be looked up. */
        to_geocode: number;
        /** Rows that will stay without a place. */
        without_place: number;
        /** Different producers of plots, counted to 100,000. */
        producers: number;
        plots_without_producer: number;
      };
      /** The warnings of the rows, the most common first, each with its first message. */
      problems: {
        code: string;
        count: number;
        example: string;
        fix: string;
      }[];
      /** What was assumed about the file as a whole. */
      remarks: string[];
      /** The first rows as they were read. */
      sample: {
        source_row: number;
        location_id: string | number | null;
        location_type: string;
        name: string | null;
        country: string | null;
        commodity_type: string | null;
        eudr: {
          ProducerName: string | null;
          ProducerCountry: string | null;
          ProductionPlace: string | null;
          Area: number | null;
        };
        /** Where each value of `eudr` comes from; null where it has none. */
        eudr_origin: {
          ProducerName: {
            from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
            /** The heading in the input. */
            column?: string;
          } | null;
          ProducerCountry: {
            from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
            /** The heading in the input. */
            column?: string;
          } | null;
          ProductionPlace: {
            from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
            /** The heading in the input. */
            column?: string;
          } | null;
          Area: {
            from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
            /** The heading in the input. */
            column?: string;
          } | null;
        };
      }[];
    } | {
      collection_id: string;
      /** The same id, under the name that the fetch endpoints use. */
      filename: string;
      collection_name: string;
      description: string;
      status: 'staged' | 'processing' | 'completed' | 'failed' | 'cancelled';
      file: {
        name: string;
        /** Bytes. */
        size: number;
        sha256: string;
      };
      crop_type: string | null;
      stats: boolean | null;
      validate_locations: boolean | null;
      eudr_dds: boolean | null;
      monitoring_start: string | null;
      monitoring_end: string | null;
      counts: {
        locations: number;
        plots: number;
        facilities: number;
        /** Plots that any dataset has data on; everything about the others is unknown. */
        measured: number;
        /** Locations that could not be measured; each says why. */
        problems: number;
      } | null;
      locations_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
      confidence_counts: Record<string, number> | null;
      confidence_reasons: string[] | null;
      error: {
        code: string;
        detail: string;
      } | null;
      task_id: string | null;
      created_at: string;
      completed_at: string | null;
      collection_url: string;
      progress_url: string;
      urls: Record<string, string> | null;
      /** What the request should have had; the batch still runs. */
      warnings: {
        code: string;
        message: string;
      }[];
      mapping: {
        /** The sheet or layer. */
        name: string | null;
        header_row: number | null;
        /** Why the sheet or layer is left out. */
        skipped: string | null;
        columns: {
          column: string;
          field: string | null;
          confidence: number;
          why: string;
          /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
          order?: number;
        }[];
      }[] | null;
      poll_url: string | null;
      events_url: string | null;
      task: {
        task_id: string;
        kind: string;
        status: 'processing' | 'completed' | 'failed' | 'cancelled';
        /** Work done and total work, in features, points or tiles. */
        progress: {
          done: number;
          /** null until it is known. */
          total: number | null;
        };
        /** The current phase, where a task has phases; null otherwise. */
        phase: string | null;
        /** Times a worker has begun the task. */
        attempt: number;
        /** Why it failed. */
        error: {
          code: string;
          detail: string;
        } | null;
        /** Media type of the results. */
        result_type: string | null;
        created_at: string;
        finished_at: string | null;
        /** When the task and its results are deleted. */
        expires_at: string | null;
        poll_url: string;
        results_url: string;
        events_url: string;
      } | null;
    };
  };
  /** What the supply sheds of facilities hold. */
  statSupplyShed: {
    path: Record<never, never>;
    query: {
      filename: string;
      monitoring_start?: string;
      monitoring_end?: string;
      limit?: number;
      after?: string;
      aggregate?: boolean;
      plots_only?: boolean;
      radius?: number;
      polygon?: string;
      plots?: string;
    };
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        /** GeoJSON geometry in EPSG:4326. */
        geometry: Record<string, unknown> | null;
        /** The properties of the normalised location, and these. */
        properties: {
          collection_id: string;
          /** Place in the file, from 0. */
          location_number: number;
          location_type: string;
          /** Of the whole collection, as stored when it was processed; null where validation was not requested. */
          location_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
          /** Why the location could not be measured. */
          problem: string | null;
          /** Of the whole collection, as stored when it was processed; null where validation was not requested. */
          locations_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
          /** `radius`, `column` or `parameter`. */
          supply_shed_kind: string | null;
          /** null for a polygon. */
          supply_shed_radius_m: number | null;
          /** Why there is no shed. */
          supply_shed_problem: string | null;
          /** Plots in the shed. */
          plots: number | null;
          /** Of the plots whose area is known; ground that plots of the shed share counts once, here and in all totals. */
          area_ha: number | null;
          /** Of plots that lie on earlier plots of the shed, which the totals leave out. */
          overlap_area_ha: number | null;
          /** false: some area may be counted twice in the totals. */
          overlaps_counted_once: boolean | null;
          /** Why it may be: plots that were not compared, or of different collections. */
          overlaps_reason: string | null;
          /** Forest of those plots on 2020-12-31. */
          baseline_forest_ha: number | null;
          /** The part of it lost after that day, in the period. */
          noncompliance_area_ha: number | null;
          luc_tco2eyear: number | null;
          /** Trees lost in the plots in the period. */
          loss_ha_by_year: Record<string, number> | null;
          /** The part of it inside the forest of 2020-12-31. */
          loss_in_baseline_ha_by_year: Record<string, number> | null;
          /** Of the area of the plots for which it is known. */
          noncompliance_share: number | null;
          /** Of the area of the plots for which it is known. */
          baseline_forest_share: number | null;
          /** Mean weighted by area. */
          luc_tco2ehayear: number | null;
          /** Mean weighted by area. */
          diversity_score: number | null;
          /** Plots by status. */
          eudr_status_counts: Record<string, number> | null;
          /** Plots by risk. */
          risk_level_counts: Record<string, number> | null;
          /** Plots by commodity. */
          commodity_type_counts: Record<string, number> | null;
          /** Share of the area of the plots by risk. */
          risk_level_area_shares: Record<string, number> | null;
          /** A plot, of those known. */
          means?: Record<string, number | null>;
          /** Plots in each total. */
          known?: Record<string, number>;
          /** Plots each total leaves out. */
          unknown?: Record<string, number>;
          /** The receipt: every dataset that was read, with its version and the share of the plot it covers. */
          datasets: {
            role: string;
            dataset: string;
            version: string;
            synthetic: boolean;
            [other: string]: unknown;
          }[];
          /** Metres from the facility to the nearest plot. */
          nearest_plot_m: number | null;
          /** Metres to the farthest plot. */
          farthest_plot_m: number | null;
          /** The collections whose plots were looked at. */
          plot_collections: string[];
          /** Left out, because a newer one is of the same file. */
          plot_collections_of_same_file: number;
          /** Left out, because there were too many plots. */
          plot_collections_left_out: number;
          monitoring_start: string;
          monitoring_end: string;
          plots_looked_at: number;
          /** Plots without a usable geometry, which no shed can hold. */
          plots_without_place: number;
          [other: string]: unknown;
        };
      }[];
      properties?: Record<string, unknown>;
    };
  };
  /** Send a test event. */
  testWebhook: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      message: string;
      delivered: boolean;
      delivery_id: string;
      /** Which of two secrets signed this attempt during a rotation; null at other times. */
      signed_with: 'current' | 'previous' | null;
      /** During a rotation: the attempt before it, signed with the other secret and not answered with 200. */
      refused_before: {
        /** HTTP status of the answer. */
        status_code: number | null;
        /** Why it did not count as delivered; null when it did. */
        reason: 'status_2xx_not_200' | 'status_redirect' | 'status_4xx' | 'status_5xx' | 'status_other' | 'url_refused' | 'address_refused' | 'dns_not_found' | 'dns_failed' | 'connection_refused' | 'connection_failed' | 'connection_reset' | 'connection_closed' | 'connect_timeout' | 'tls_timeout' | 'tls_expired' | 'tls_not_yet_valid' | 'tls_self_signed' | 'tls_untrusted' | 'tls_wrong_name' | 'tls_failed' | 'answer_timeout' | 'answer_invalid' | 'answer_headers_too_large' | 'secret_unreadable' | 'sender_lost' | null;
        detail: string | null;
        /** The address the connection led to. */
        address: string | null;
        duration_ms: number;
        /** null where a step was not reached, or not needed on a kept connection. */
        timings: {
          dns_ms: number | null;
          connect_ms: number | null;
          tls_ms: number | null;
          first_byte_ms: number | null;
        };
        /** Beginning of the answer, up to 16 KiB. */
        response_excerpt: string | null;
      } | null;
      /** null when the service was stopped meanwhile. */
      attempt: {
        /** HTTP status of the answer. */
        status_code: number | null;
        /** Why it did not count as delivered; null when it did. */
        reason: 'status_2xx_not_200' | 'status_redirect' | 'status_4xx' | 'status_5xx' | 'status_other' | 'url_refused' | 'address_refused' | 'dns_not_found' | 'dns_failed' | 'connection_refused' | 'connection_failed' | 'connection_reset' | 'connection_closed' | 'connect_timeout' | 'tls_timeout' | 'tls_expired' | 'tls_not_yet_valid' | 'tls_self_signed' | 'tls_untrusted' | 'tls_wrong_name' | 'tls_failed' | 'answer_timeout' | 'answer_invalid' | 'answer_headers_too_large' | 'secret_unreadable' | 'sender_lost' | null;
        detail: string | null;
        /** The address the connection led to. */
        address: string | null;
        duration_ms: number;
        /** null where a step was not reached, or not needed on a kept connection. */
        timings: {
          dns_ms: number | null;
          connect_ms: number | null;
          tls_ms: number | null;
          first_byte_ms: number | null;
        };
        /** Beginning of the answer, up to 16 KiB. */
        response_excerpt: string | null;
      } | null;
    };
  };
  /** Read the locations of a staged collection. */
  uploadPlots: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** Id of a staged collection. */
      filename: string;
    };
    answer: {
      collection_id: string;
      /** The same id, under the name that the fetch endpoints use. */
      filename: string;
      collection_name: string;
      description: string;
      status: 'staged' | 'processing' | 'completed' | 'failed' | 'cancelled';
      file: {
        name: string;
        /** Bytes. */
        size: number;
        sha256: string;
      };
      crop_type: string | null;
      stats: boolean | null;
      validate_locations: boolean | null;
      eudr_dds: boolean | null;
      monitoring_start: string | null;
      monitoring_end: string | null;
      counts: {
        locations: number;
        plots: number;
        facilities: number;
        /** Plots that any dataset has data on; everything about the others is unknown. */
        measured: number;
        /** Locations that could not be measured; each says why. */
        problems: number;
      } | null;
      locations_confidence: 'high' | 'medium' | 'low' | 'invalid' | 'not processed: validation confidence too low' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise' | null;
      confidence_counts: Record<string, number> | null;
      confidence_reasons: string[] | null;
      error: {
        code: string;
        detail: string;
      } | null;
      task_id: string | null;
      created_at: string;
      completed_at: string | null;
      collection_url: string;
      progress_url: string;
      urls: Record<string, string> | null;
      /** What the request should have had; the batch still runs. */
      warnings: {
        code: string;
        message: string;
      }[];
      mapping: {
        /** The sheet or layer. */
        name: string | null;
        header_row: number | null;
        /** Why the sheet or layer is left out. */
        skipped: string | null;
        columns: {
          column: string;
          field: string | null;
          confidence: number;
          why: string;
          /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
          order?: number;
        }[];
      }[] | null;
      poll_url: string | null;
      events_url: string | null;
      task: {
        task_id: string;
        kind: string;
        status: 'processing' | 'completed' | 'failed' | 'cancelled';
        /** Work done and total work, in features, points or tiles. */
        progress: {
          done: number;
          /** null until it is known. */
          total: number | null;
        };
        /** The current phase, where a task has phases; null otherwise. */
        phase: string | null;
        /** Times a worker has begun the task. */
        attempt: number;
        /** Why it failed. */
        error: {
          code: string;
          detail: string;
        } | null;
        /** Media type of the results. */
        result_type: string | null;
        created_at: string;
        finished_at: string | null;
        /** When the task and its results are deleted. */
        expires_at: string | null;
        poll_url: string;
        results_url: string;
        events_url: string;
      } | null;
    };
  };
  /** Rates many places from a file. */
  validateFacilities: {
    path: Record<never, never>;
    query: {
      async_mode?: boolean;
    };
    body: {
      /** GeoJSON, newline-delimited GeoJSON or one bare geometry. */
      file: string;
      /** rubber, palm, cocoa, coffee, soy, timber or cattle, or a usual synonym. Anything else, or nothing, uses the generic plantation mask and warns. */
      commodity_type?: string;
      /** Radius of the commodity presence check, in metres. */
      commodity_radius?: number;
      /** Look for sea, lakes and rivers. Never scored. */
      check_water_access?: boolean;
      /** Look for sea ports. Never scored. */
      check_port_proximity?: boolean;
      /** Look for roads. When false, the road penalty does not apply. */
      check_road_access?: boolean;
    };
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        /** GeoJSON geometry exactly as it came. */
        geometry: Record<string, unknown> | null;
        /** Properties of the input are kept; a computed one of the same name wins. */
        properties: {
          location_type: 'facility';
          facility_name: string | null;
          /** Short English name; null on the high seas. */
          country: string | null;
          /** ISO 3166-1 alpha-2. */
          country_code: string | null;
          commodity_type: string | null;
          commodity_presence: number;
          poi_presence: number;
          high_density: number;
          /** 0.23 large, 0.12 medium, 0 none. */
          building_presence: number;
          building_class: 'large' | 'medium' | 'none';
          road_access: number;
          water_access: number;
          port_proximity: number;
          producer_confirmation_score: number;
          producer_confirmed: boolean;
          producer_confirmation_comment: string;
          aggregation_comment: string;
          confidence_score: number;
          confidence_level: 'high' | 'medium' | 'low' | 'invalid';
          /** Share of the scored weight that was assessed: the `weight` of the known entries of `evidence` over the weight of all. */
          evidence_coverage: number;
          /** The lowest and the highest score that the unknown indicators allow; null for an invalid geometry. In CSV two columns, confidence_lowest and confidence_highest. */
          confidence_range: {
            lowest: number;
            highest: number;
          } | null;
          /** verified from an evidence_coverage of 0.8, partly_verified from 0.4, else unverified: then the score says what is not known rather than what the place is. */
          confidence_basis: 'verified' | 'partly_verified' | 'unverified';
          primary_warning: string | null;
          /** Only for an invalid geometry: what is wrong and where. */
          confidence_comment?: string;
          warnings: {
            code: string;
            message: string;
          }[];
          evidence: {
            indicator: string;
            status: 'present' | 'absent' | 'unknown';
            value: number;
            /** The highest value it may have, where `value` is a lower bound. */
            value_up_to?: number;
            /** What this indicator took from the score. */
            penalty: number;
            /** The most this indicator can take off the score of this request; 0 where it is not scored. */
            weight: number;
            dataset: string | null;
            dataset_version: string | null;
            /** The other datasets, where several were taken together: the plantation mask. */
            also?: {
              dataset: string;
              dataset_version: string;
            }[];
            /** The dataset is generated and describes no real place. */
            synthetic?: true;
            /** When a live service gave the answer. */
            retrieved_at?: string;
            /** Metres on the ellipsoid. */
            distance_m?: number;
            /** Of the producer alone. confirmed: the name stands in a registry at this place. found_elsewhere: it does at another, distance_m away. place_unknown: the record has no place. name_differs: no name is alike enough. not_found: none resembles it. */
            producer_state?: 'confirmed' | 'found_elsewhere' | 'place_unknown' | 'name_differs' | 'not_found';
            detail: string;
            /** Where the accuracy of the dataset is written down, relative to the address of the service. */
            about?: string;
          }[];
          [other: string]: unknown;
        };
      }[];
      properties: {
        total_facilities: number;
        commodity_presence: number;
        poi_presence: number;
        road_access: number;
        water_access: number;
        port_proximity: number;
        high_density: number;
        /** Mean over the scored facilities, 0 when there are none. */
        confidence_score: number;
        confidence_level: {
          high: number;
          medium: number;
          low: number;
          invalid: number;
        };
        /** Mean over the scored facilities, 0 when there are none. */
        evidence_coverage: number;
        /** Means of the lowest and of the highest over the scored facilities; null when there are none. */
        confidence_range: {
          lowest: number;
          highest: number;
        } | null;
        /** Facilities by how much of their score rests on what was looked at; invalid ones are unverified. */
        confidence_basis: {
          verified: number;
          partly_verified: number;
          unverified: number;
        };
        /** The same facilities by level too: a low one that is unverified is not known to be bad. */
        confidence_level_by_basis: {
          verified: {
            high: number;
            medium: number;
            low: number;
            invalid: number;
          };
          partly_verified: {
            high: number;
            medium: number;
            low: number;
            invalid: number;
          };
          unverified: {
            high: number;
            medium: number;
            low: number;
            invalid: number;
          };
        };
        /** Scored facilities by the status of each indicator: a count of 0 above may mean absent or unknown. */
        indicator_status: {
          commodity_presence: {
            present: number;
            absent: number;
            unknown: number;
          };
          poi_presence: {
            present: number;
            absent: number;
            unknown: number;
          };
          building_presence: {
            present: number;
            absent: number;
            unknown: number;
          };
          road_access: {
            present: number;
            absent: number;
            unknown: number;
          };
          water_access: {
            present: number;
            absent: number;
            unknown: number;
          };
          port_proximity: {
            present: number;
            absent: number;
            unknown: number;
          };
          high_density: {
            present: number;
            absent: number;
            unknown: number;
          };
          producer_confirmation: {
            present: number;
            absent: number;
            unknown: number;
          };
        };
        producer_confirmed: {
          true: number;
          false: number;
        };
        warnings: {
          code: string;
          message: string;
        }[];
        /** The datasets that the answers came from. */
        datasets: {
          id: string;
          version: string;
          licence: string;
          attribution: string;
          synthetic: boolean;
        }[];
      };
    } | {
      task_id: string;
      kind: string;
      status: 'processing' | 'completed' | 'failed' | 'cancelled';
      /** Work done and total work, in features, points or tiles. */
      progress: {
        done: number;
        /** null until it is known. */
        total: number | null;
      };
      /** The current phase, where a task has phases; null otherwise. */
      phase: string | null;
      /** Times a worker has begun the task. */
      attempt: number;
      /** Why it failed. */
      error: {
        code: string;
        detail: string;
      } | null;
      /** Media type of the results. */
      result_type: string | null;
      created_at: string;
      finished_at: string | null;
      /** When the task and its results are deleted. */
      expires_at: string | null;
      poll_url: string;
      results_url: string;
      events_url: string;
    };
  };
  /** Rates one place. */
  validateFacility: {
    path: Record<never, never>;
    query: {
      geometry: string;
      facility_name?: string;
      commodity_type?: string;
      commodity_radius?: number;
      check_water_access?: boolean;
      check_port_proximity?: boolean;
      check_road_access?: boolean;
    };
    body: undefined;
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        /** GeoJSON geometry exactly as it came. */
        geometry: Record<string, unknown> | null;
        /** Properties of the input are kept; a computed one of the same name wins. */
        properties: {
          location_type: 'facility';
          facility_name: string | null;
          /** Short English name; null on the high seas. */
          country: string | null;
          /** ISO 3166-1 alpha-2. */
          country_code: string | null;
          commodity_type: string | null;
          commodity_presence: number;
          poi_presence: number;
          high_density: number;
          /** 0.23 large, 0.12 medium, 0 none. */
          building_presence: number;
          building_class: 'large' | 'medium' | 'none';
          road_access: number;
          water_access: number;
          port_proximity: number;
          producer_confirmation_score: number;
          producer_confirmed: boolean;
          producer_confirmation_comment: string;
          aggregation_comment: string;
          confidence_score: number;
          confidence_level: 'high' | 'medium' | 'low' | 'invalid';
          /** Share of the scored weight that was assessed: the `weight` of the known entries of `evidence` over the weight of all. */
          evidence_coverage: number;
          /** The lowest and the highest score that the unknown indicators allow; null for an invalid geometry. In CSV two columns, confidence_lowest and confidence_highest. */
          confidence_range: {
            lowest: number;
            highest: number;
          } | null;
          /** verified from an evidence_coverage of 0.8, partly_verified from 0.4, else unverified: then the score says what is not known rather than what the place is. */
          confidence_basis: 'verified' | 'partly_verified' | 'unverified';
          primary_warning: string | null;
          /** Only for an invalid geometry: what is wrong and where. */
          confidence_comment?: string;
          warnings: {
            code: string;
            message: string;
          }[];
          evidence: {
            indicator: string;
            status: 'present' | 'absent' | 'unknown';
            value: number;
            /** The highest value it may have, where `value` is a lower bound. */
            value_up_to?: number;
            /** What this indicator took from the score. */
            penalty: number;
            /** The most this indicator can take off the score of this request; 0 where it is not scored. */
            weight: number;
            dataset: string | null;
            dataset_version: string | null;
            /** The other datasets, where several were taken together: the plantation mask. */
            also?: {
              dataset: string;
              dataset_version: string;
            }[];
            /** The dataset is generated and describes no real place. */
            synthetic?: true;
            /** When a live service gave the answer. */
            retrieved_at?: string;
            /** Metres on the ellipsoid. */
            distance_m?: number;
            /** Of the producer alone. confirmed: the name stands in a registry at this place. found_elsewhere: it does at another, distance_m away. place_unknown: the record has no place. name_differs: no name is alike enough. not_found: none resembles it. */
            producer_state?: 'confirmed' | 'found_elsewhere' | 'place_unknown' | 'name_differs' | 'not_found';
            detail: string;
            /** Where the accuracy of the dataset is written down, relative to the address of the service. */
            about?: string;
          }[];
          [other: string]: unknown;
        };
      }[];
      properties: {
        total_facilities: number;
        commodity_presence: number;
        poi_presence: number;
        road_access: number;
        water_access: number;
        port_proximity: number;
        high_density: number;
        /** Mean over the scored facilities, 0 when there are none. */
        confidence_score: number;
        confidence_level: {
          high: number;
          medium: number;
          low: number;
          invalid: number;
        };
        /** Mean over the scored facilities, 0 when there are none. */
        evidence_coverage: number;
        /** Means of the lowest and of the highest over the scored facilities; null when there are none. */
        confidence_range: {
          lowest: number;
          highest: number;
        } | null;
        /** Facilities by how much of their score rests on what was looked at; invalid ones are unverified. */
        confidence_basis: {
          verified: number;
          partly_verified: number;
          unverified: number;
        };
        /** The same facilities by level too: a low one that is unverified is not known to be bad. */
        confidence_level_by_basis: {
          verified: {
            high: number;
            medium: number;
            low: number;
            invalid: number;
          };
          partly_verified: {
            high: number;
            medium: number;
            low: number;
            invalid: number;
          };
          unverified: {
            high: number;
            medium: number;
            low: number;
            invalid: number;
          };
        };
        /** Scored facilities by the status of each indicator: a count of 0 above may mean absent or unknown. */
        indicator_status: {
          commodity_presence: {
            present: number;
            absent: number;
            unknown: number;
          };
          poi_presence: {
            present: number;
            absent: number;
            unknown: number;
          };
          building_presence: {
            present: number;
            absent: number;
            unknown: number;
          };
          road_access: {
            present: number;
            absent: number;
            unknown: number;
          };
          water_access: {
            present: number;
            absent: number;
            unknown: number;
          };
          port_proximity: {
            present: number;
            absent: number;
            unknown: number;
          };
          high_density: {
            present: number;
            absent: number;
            unknown: number;
          };
          producer_confirmation: {
            present: number;
            absent: number;
            unknown: number;
          };
        };
        producer_confirmed: {
          true: number;
          false: number;
        };
        warnings: {
          code: string;
          message: string;
        }[];
        /** The datasets that the answers came from. */
        datasets: {
          id: string;
          version: string;
          licence: string;
          attribution: string;
          synthetic: boolean;
        }[];
      };
    };
  };
  /** Validate the facilities and plots of a file. */
  validateLocations: {
    path: Record<never, never>;
    query: {
      async_mode?: boolean;
    };
    body: {
      /** GeoJSON, zipped shapefile, GeoPackage, GeoParquet, KML, KMZ, CSV, TSV or XLSX; its content decides, not its name. */
      file: string;
      /** Type of every row. Without it each row is routed by what it says and looks like. */
      location_type?: 'facility' | 'plot';
      /** rubber, palm, cocoa, coffee, soy, timber or cattle, or a usual synonym. Anything else, or nothing, uses the generic plantation mask and warns. */
      commodity_type?: string;
      /** Country of rows that do not name one: an ISO code or a usual name. */
      country?: string;
      /** JSON object: their column to our field, or to null to leave it alone. Fields: geometry, latitude, longitude, coordinates, easting, northing, utm_zone, hemisphere, epsg, location_id, supplier_name, name, production_place, country, admin1, locality, address, location_type, commodity_type, area. */
      mapping?: string;
      /** Find rows without coordinates by their address. */
      geocode?: boolean;
      /** EPSG code of coordinates whose system the file does not name. */
      crs?: string;
      /** Sheet or layer to read, or a JSON list of them. Without it all that hold locations. */
      sheets?: string;
      /** Radius of the commodity presence check, in metres. */
      commodity_radius?: number;
      /** Look for sea, lakes and rivers. Never scored. */
      check_water_access?: boolean;
      /** Look for sea ports. Never scored. */
      check_port_proximity?: boolean;
      /** Look for roads. When false, the road penalty does not apply. */
      check_road_access?: boolean;
      /** Repair geometries that cannot be used; `repair_log` lists the changes. */
      repair?: boolean;
    };
    answer: {
      type: 'FeatureCollection';
      features: {
        type: 'Feature';
        id?: string | number;
        /** Longitude first, WGS84; null where no place is known. */
        geometry: Record<string, unknown> | null;
        /** A facility also has every property of `/validate_facilities`; its country is then the one it lies in. */
        properties: {
          location_id: string | number | null;
          location_type: 'facility' | 'plot';
          name: string | null;
          supplier_name: string | null;
          address: string | null;
          admin1: string | null;
          /** Short English name. */
          country: string | null;
          /** ISO 3166-1 alpha-2. */
          country_code: string | null;
          commodity_type: string | null;
          /** Measured on the ellipsoid for a polygon, as stated for a point. */
          area_ha: number | null;
          geometry_source: 'input' | 'geocoded' | 'none';
          geocode_precision: 'exact' | 'street' | 'locality' | 'region' | 'country' | null;
          /** Probability that the place lies within 25 km of the point, 0 to 1. */
          geocode_confidence: number | null;
          /** As the spreadsheet shows it; in files without rows the number of the feature, from 1. */
          source_row: number;
          source_sheet?: string;
          eudr: {
            ProducerName: string | null;
            ProducerCountry: string | null;
            ProductionPlace: string | null;
            Area: number | null;
          };
          /** Where each value of `eudr` comes from; null where it has none. */
          eudr_origin: {
            ProducerName: {
              from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
              /** The heading in the input. */
              column?: string;
            } | null;
            ProducerCountry: {
              from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
              /** The heading in the input. */
              column?: string;
            } | null;
            ProductionPlace: {
              from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
              /** The heading in the input. */
              column?: string;
            } | null;
            Area: {
              from: 'column' | 'request' | 'position' | 'geometry' | 'geocoding';
              /** The heading in the input. */
              column?: string;
            } | null;
          };
          warnings: {
            code: string;
            message: string;
            [other: string]: unknown;
          }[];
          /** The input's own columns. */
          source: Record<string, unknown>;
          processing: 'processed' | 'not processed: geocoding failed' | 'not processed: geocoding too imprecise';
          /** No check failed. */
          plot_valid?: boolean;
          /** Of a plot. `high` only where position, commodity and deforestation were all looked at and passed; `medium` where something is in doubt or could not be looked at; `low` where a check failed; `invalid` where the geometry cannot be used. */
          location_confidence?: 'high' | 'medium' | 'low' | 'invalid';
          /** Of a plot: what keeps it from `high`, in words. */
          location_confidence_reasons?: string[];
          plot_checks?: {
            check: 'geometry' | 'area' | 'position' | 'country' | 'commodity_zone' | 'precision' | 'duplicates' | 'overlaps' | 'facility_distance' | 'commodity' | 'deforestation';
            status: 'pass' | 'warn' | 'fail' | 'unknown';
            detail: string;
            /** Of the check `deforestation`: hectares, years and datasets. */
            receipt?: {
              noncompliance_area_ha: number | null;
              baseline_forest_ha: number | null;
              deforestation_start: string | null;
              deforestation_end: string | null;
              monitored_until: string | null;
              datasets: {
                role: 'forest-mask' | 'loss-year';
                dataset: string;
                version: string;
                synthetic: boolean;
                covered_share: number;
                noncompliance_area_ha?: number | null;
              }[];
            };
          }[];
          repair_log?: string[];
          [other: string]: unknown;
        };
      }[];
      properties: {
        format: string;
        total: number;
        by_type: {
          facility: number;
          plot: number;
        };
        by_geometry_source: {
          input: number;
          geocoded: number;
          none: number;
        };
        by_precision: {
          exact: number;
          street: number;
          locality: number;
          region: number;
          country: number;
        };
        warnings: {
          code: string;
          count: number;
          fix: string;
        }[];
        tables: {
          name: string | null;
          header_row: number | null;
          rows: number;
          /** Why the sheet or layer was left out. */
          skipped: string | null;
          /** What each column was taken for, and why. */
          columns: {
            column: string;
            field: string | null;
            confidence: number;
            why: string;
            /** Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled. */
            order?: number;
          }[];
        }[];
        /** What was assumed about the file as a whole. */
        remarks: string[];
        /** The datasets that countries and geocoded places come from. */
        datasets: {
          id: string;
          version: string;
          licence: string;
          attribution: string;
          synthetic: boolean;
        }[];
        processing: {
          processed: number;
          'not processed: geocoding failed': number;
          'not processed: geocoding too imprecise': number;
        };
        plots: {
          total: number;
          valid: number;
          repaired: number;
        };
        facilities: {
          total_facilities: number;
          commodity_presence: number;
          poi_presence: number;
          road_access: number;
          water_access: number;
          port_proximity: number;
          high_density: number;
          /** Mean over the scored facilities, 0 when there are none. */
          confidence_score: number;
          confidence_level: {
            high: number;
            medium: number;
            low: number;
            invalid: number;
          };
          /** Mean over the scored facilities, 0 when there are none. */
          evidence_coverage: number;
          /** Means of the lowest and of the highest over the scored facilities; null when there are none. */
          confidence_range: {
            lowest: number;
            highest: number;
          } | null;
          /** Facilities by how much of their score rests on what was looked at; invalid ones are unverified. */
          confidence_basis: {
            verified: number;
            partly_verified: number;
            unverified: number;
          };
          /** The same facilities by level too: a low one that is unverified is not known to be bad. */
          confidence_level_by_basis: {
            verified: {
              high: number;
              medium: number;
              low: number;
              invalid: number;
            };
            partly_verified: {
              high: number;
              medium: number;
              low: number;
              invalid: number;
            };
            unverified: {
              high: number;
              medium: number;
              low: number;
              invalid: number;
            };
          };
          /** Scored facilities by the status of each indicator: a count of 0 above may mean absent or unknown. */
          indicator_status: {
            commodity_presence: {
              present: number;
              absent: number;
              unknown: number;
            };
            poi_presence: {
              present: number;
              absent: number;
              unknown: number;
            };
            building_presence: {
              present: number;
              absent: number;
              unknown: number;
            };
            road_access: {
              present: number;
              absent: number;
              unknown: number;
            };
            water_access: {
              present: number;
              absent: number;
              unknown: number;
            };
            port_proximity: {
              present: number;
              absent: number;
              unknown: number;
            };
            high_density: {
              present: number;
              absent: number;
              unknown: number;
            };
            producer_confirmation: {
              present: number;
              absent: number;
              unknown: number;
            };
          };
          producer_confirmed: {
            true: number;
            false: number;
          };
          warnings: {
            code: string;
            message: string;
          }[];
          /** The datasets that the answers came from. */
          datasets: {
            id: string;
            version: string;
            licence: string;
            attribution: string;
            synthetic: boolean;
          }[];
        };
      };
    } | {
      task_id: string;
      kind: string;
      status: 'processing' | 'completed' | 'failed' | 'cancelled';
      /** Work done and total work, in features, points or tiles. */
      progress: {
        done: number;
        /** null until it is known. */
        total: number | null;
      };
      /** The current phase, where a task has phases; null otherwise. */
      phase: string | null;
      /** Times a worker has begun the task. */
      attempt: number;
      /** Why it failed. */
      error: {
        code: string;
        detail: string;
      } | null;
      /** Media type of the results. */
      result_type: string | null;
      created_at: string;
      finished_at: string | null;
      /** When the task and its results are deleted. */
      expires_at: string | null;
      poll_url: string;
      results_url: string;
      events_url: string;
    };
  };
}

/** Method and path of every operation. */
export const OPERATIONS = {
  cancelForestTask: ['DELETE', '/forest_polygon/{task_id}'],
  cancelTask: ['DELETE', '/tasks/{task_id}'],
  changeWebhook: ['PATCH', '/webhooks'],
  createToken: ['POST', '/tokens'],
  deleteCollection: ['DELETE', '/collections/{collection_id}'],
  diagnoseWebhookSignature: ['POST', '/webhooks/verify'],
  exportEudrDds: ['GET', '/export_eudr_dds'],
  fetchBiodiversity: ['GET', '/fetch_biodiversity'],
  fetchBiomassEmissions: ['GET', '/fetch_biomass_emissions'],
  fetchDeforestationCheck: ['GET', '/fetch_deforestation_check'],
  fetchPlots: ['GET', '/fetch_plots'],
  fetchSupplyShed: ['GET', '/fetch_supply_shed'],
  followTask: ['GET', '/tasks/{task_id}/events'],
  getBatchProgress: ['GET', '/batch_progress'],
  getCollection: ['GET', '/collections/{collection_id}'],
  getCollectionOf: ['GET', '/get_collections/{collection_id}'],
  getDatasets: ['GET', '/datasets'],
  getDocumentation: ['GET', '/docs/{page}'],
  getFacilitySurroundings: ['GET', '/facility_surroundings'],
  getForestResults: ['GET', '/forest_polygon/{task_id}/results'],
  getForestTask: ['GET', '/forest_polygon/{task_id}/status'],
  getHealth: ['GET', '/healthz'],
  getIndex: ['GET', '/'],
  getLimits: ['GET', '/limits'],
  getMapFeatures: ['GET', '/map_features'],
  getMetrics: ['GET', '/metrics'],
  getOpenApi: ['GET', '/openapi.json'],
  getPrincipal: ['GET', '/principal'],
  getProblem: ['GET', '/problems/{code}'],
  getReadiness: ['GET', '/readyz'],
  getTask: ['GET', '/tasks/{task_id}'],
  getTaskResults: ['GET', '/tasks/{task_id}/results'],
  getWebhook: ['GET', '/webhooks'],
  getWebhookDelivery: ['GET', '/webhooks/deliveries/{delivery_id}'],
  listAudit: ['GET', '/audit'],
  listCollections: ['GET', '/get_collections'],
  listTasks: ['GET', '/tasks'],
  listTokens: ['GET', '/tokens'],
  listWebhookDeliveries: ['GET', '/webhooks/deliveries'],
  lookUpForestPolygons: ['POST', '/forest_polygon/lookup'],
  normalizeLocations: ['POST', '/normalize_locations'],
  processBatch: ['POST', '/batch_process'],
  redeliverFailedWebhooks: ['POST', '/webhooks/deliveries/redeliver'],
  redeliverWebhook: ['POST', '/webhooks/deliveries/{delivery_id}/redeliver'],
  refreshToken: ['POST', '/refresh_token'],
  registerWebhook: ['POST', '/webhooks/register'],
  removeWebhook: ['DELETE', '/webhooks/remove'],
  revokeToken: ['DELETE', '/tokens/{token_id}'],
  rotateWebhookSecret: ['POST', '/webhooks/rotate'],
  searchParcel: ['GET', '/cadastral/parcels/search'],
  searchParcels: ['POST', '/cadastral/parcels/search'],
  stagePlots: ['POST', '/stage_plots'],
  statSupplyShed: ['GET', '/stat_supply_shed'],
  testWebhook: ['POST', '/webhooks/test'],
  uploadPlots: ['POST', '/upload_plots'],
  validateFacilities: ['POST', '/validate_facilities'],
  validateFacility: ['GET', '/validate_facility'],
  validateLocations: ['POST', '/validate_locations'],
} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>;

"""Fits the built-up class of the real points with scikit-learn, for comparison with src/geo/detection.

Needs python3-sklearn. Run: /usr/bin/python3 test/oracles/detection/logistic.py ../shared/data/aef
Writes logistic.json beside itself. Folds and the choice of the penalty are written down anew here, so that an error of
ours is not in both.
"""
import csv
import json
import math
import sys
from pathlib import Path

import numpy as np
import sklearn
from sklearn.calibration import _SigmoidCalibration
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, precision_recall_curve, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

BLOCK = 0.1
FOLDS = 5
STRENGTHS = [0.001, 0.01, 0.1, 1, 10]

folder = Path(sys.argv[1])
points = [row for name in ("points_amazon.csv", "points_iowa.csv") for row in csv.DictReader((folder / name).open())]
X = np.array([[float(row[f"A{band:02d}"]) for band in range(64)] for row in points])
y = np.array([int(row["dw_label"]) == 6 for row in points]).astype(int)
places = [(float(row["longitude"]), float(row["latitude"])) for row in points]


def fit(rows, strength):
    model = LogisticRegression(C=strength, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    return make_pipeline(StandardScaler(), model).fit(X[rows], y[rows])


def raw(pipeline):
    scale, model = pipeline[0], pipeline[1]
    weights = model.coef_[0] / scale.scale_
    return {"weights": weights.tolist(), "bias": float(model.intercept_[0] - weights @ scale.mean_)}


def folds_of_blocks():
    keys = [(math.floor(lon / BLOCK + 1e-9), math.floor(lat / BLOCK + 1e-9)) for lon, lat in places]
    first = {key: i for i, key in reversed(list(enumerate(keys)))}
    rows = {key: [i for i, other in enumerate(keys) if other == key] for key in first}
    order = sorted(rows, key=lambda key: (-y[rows[key]].sum(), -len(rows[key]), first[key]))
    held = np.zeros((FOLDS, 2))
    folds = np.zeros(len(y), int)
    positive, negative = y.sum(), (1 - y).sum()
    for key in order:
        own = np.array([(1 - y[rows[key]]).sum(), y[rows[key]].sum()])
        parts = held * own / np.array([negative, positive]) ** 2
        fold = int(np.argmin(np.round(parts.sum(1), 15)))
        folds[rows[key]] = fold
        held[fold] += own
    return folds, len(rows)


def left_out(rows, folds, strength):
    scores = np.zeros(len(rows))
    for fold in np.unique(folds[rows]):
        out = folds[rows] == fold
        scores[out] = fit(rows[~out], strength).predict_proba(X[rows[out]])[:, 1]
    return scores


def tune(rows, folds):
    tried = []
    for strength in STRENGTHS:
        scores = left_out(rows, folds, strength)
        loss = -np.mean(np.log(np.where(y[rows] == 1, scores, 1 - scores)))
        tried.append((strength, scores, loss))
    least = min(loss for _, _, loss in tried)
    strength, scores, _ = next(one for one in tried if one[2] <= least * 1.001)
    precision, recall, thresholds = precision_recall_curve(y[rows], scores)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-300)
    best = thresholds[np.flatnonzero(f1[:-1] >= f1.max() - 1e-12)[-1]]
    threshold = (best + max(scores[scores < best], default=0)) / 2
    return fit(rows, strength), strength, math.floor(threshold * 10000) / 10000


everything = np.arange(len(y))
folds, block_count = folds_of_blocks()
parts, scores, claimed = [], np.zeros(len(y)), np.zeros(len(y), int)
for fold in range(FOLDS):
    own, others = everything[folds == fold], everything[folds != fold]
    model, strength, threshold = tune(others, folds)
    scores[own] = model.predict_proba(X[own])[:, 1]
    claimed[own] = scores[own] >= threshold
    parts.append({"strength": strength, "threshold": threshold, "auc": roc_auc_score(y[own], scores[own])})
_, strength, threshold = tune(everything, folds)

result = {
    "by": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}",
    "fits": [{"strength": strength, **raw(fit(everything, strength))} for strength in (0.01, 1, 100)],
    "folds": "".join(str(fold) for fold in folds),
    "blocks": block_count,
    "left_out_auc": roc_auc_score(y, left_out(everything, folds, 1)),
    "nested": {"parts": parts, "auc": roc_auc_score(y, scores), "f1": f1_score(y, claimed)},
    "tuned": {"strength": strength, "threshold": threshold},
}


def bins_error(scores):
    order = np.lexsort((np.arange(len(scores)), scores))
    edges = [len(scores) * b // 10 for b in range(11)]
    bins = [order[a:b] for a, b in zip(edges, edges[1:])]
    return float(sum(abs((scores[own] - y[own]).sum()) for own in bins) / len(scores))


tuned_scores = left_out(np.arange(len(y)), folds, result["tuned"]["strength"])
logits = np.log(tuned_scores / (1 - tuned_scores))
sigmoid = _SigmoidCalibration().fit(logits, y)
result["platt"] = {
    "slope": -float(sigmoid.a_),
    "intercept": -float(sigmoid.b_),
    "error": bins_error(tuned_scores),
    "calibrated_error": bins_error(sigmoid.predict(logits)),
}
(Path(__file__).parent / "logistic.json").write_text(json.dumps(result, indent=1) + "\n")

"""scikit-learn and umap-learn as reduction-child.ts is: task as JSON, a file of vectors, one for what becomes of them.

Run by reduction.ts with Debian's Python where python3-sklearn and umap-learn are installed.
"""

import json
import sys
import time

import numpy

task = json.loads(sys.argv[1])
vectors = numpy.fromfile(sys.argv[2], "f4").reshape(-1, task["dimension"])
target = task["target"]
if task["method"] == "pca":
    from sklearn.decomposition import PCA

    reducer = PCA(target)
elif task["method"] == "tsne":
    from sklearn.manifold import TSNE

    # Its Barnes-Hut stops at three dimensions.
    method = "barnes_hut" if target <= 3 else "exact"
    reducer = TSNE(target, init="pca", learning_rate="auto", random_state=42, method=method)
else:
    import umap

    reducer = umap.UMAP(n_components=target, random_state=42)
    # What it compiles at its first run is not what is measured.
    umap.UMAP(n_components=target, random_state=42).fit_transform(vectors[:500])
start = time.process_time()
reduced = reducer.fit_transform(vectors)
seconds = time.process_time() - start
reduced.astype("f4").tofile(sys.argv[3])
print(json.dumps({"seconds": seconds}), flush=True)

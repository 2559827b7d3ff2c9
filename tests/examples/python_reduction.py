"""An index of this process that searches its vectors with fewer dimensions than they are added with."""

import random
import time

import vx

random.seed(1)


def embedding():
    """16 numbers that say what 4 would."""
    topics = [random.gauss(0, 1) for _ in range(4)]
    return [topics[at % 4] * (1 + at // 4) + random.gauss(0, 0.05) for at in range(16)]


with vx.Vx(
    dimension=16,
    enable_dim_reduction=True,
    dim_reduction_method="PCA",
    dim_reduction_target=8,
    dim_reduction_adaptive=True,
    dim_reduction_min_variance=0.95,
) as index:
    vectors = [embedding() for _ in range(256)]
    index.batch_add({"id": id, "vector": vector} for id, vector in enumerate(vectors))

    # The model is fitted once 256 vectors are there; searches go on meanwhile, and are exact.
    while index.metrics()["reduced_dimension"] == 0:
        time.sleep(0.05)

    index.add(256, embedding(), {"category": "science"})
    print("nearest:", index.search(vectors[7], k=1)[0]["id"])
    print("reduced to:", len(index.reduce_vectors(vectors=[vectors[7]])[0]))

"""Every call of the Python client, against an index of 4 dimensions: SHOAL_URL and SHOAL_API_KEY say which."""

import os

import vx

client = vx.Client(os.environ["SHOAL_URL"], api_key=os.environ["SHOAL_API_KEY"])

client.add(
    id=1,
    vector=[0.1, 0.2, 0.3, 0.4],
    metadata={"category": "science", "tags": ["physics", "research"], "rating": 4.5},
)
client.batch_add(
    [
        {"id": 2, "vector": [0.2, 0.3, 0.4, 0.5], "metadata": {"category": "science", "rating": 3.5}},
        {"id": 3, "vector": [0.9, 0.1, 0.1, 0.0], "metadata": {"category": "art", "rating": 5}},
    ]
)

for result in client.search(vector=[0.1, 0.2, 0.3, 0.4], k=10, page=1, page_size=2):
    print(result["id"], result["distance"], result["metadata"])

results = client.hybrid_search(
    vector=[0.1, 0.2, 0.3, 0.4],
    k=5,
    filter="category = 'science' AND json_array_contains(tags, 'physics')",
)
print("hybrid:", [result["id"] for result in results])

results = client.search_with_negatives(
    positive_vector=[0.1, 0.2, 0.3, 0.4],
    negative_vectors=[[0.9, 0.1, 0.1, 0.0]],
    k=10,
    page=1,
    page_size=10,
)
print("with negatives:", [result["id"] for result in results])

results = client.faceted_search(vector=[0.1, 0.2, 0.3, 0.4], k=10, facets={"category": "art"})
print("faceted:", [result["id"] for result in results])

print(client.query_metadata("SELECT category, COUNT(*) AS count FROM metadata GROUP BY category"))

backup = client.backup(path="example.zip", incremental=False, compress=True)
print("backup:", backup["path"], backup["size_bytes"])
print("restored:", client.restore(path=backup["path"])["vector_count"])

metrics = client.metrics()
print("metrics:", metrics["vector_count"], metrics["memory_usage_mb"])

try:
    client.add(id=4, vector=[0.1, 0.2], metadata={})
except vx.DimensionMismatchError as error:
    print("dimension mismatch:", error)
except vx.InvalidIDError as error:
    print("invalid id:", error)
except vx.VxError as error:
    print("other:", error)

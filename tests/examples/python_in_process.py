"""An index of this process, with every parameter of the class at its default but for the dimension."""

import vx

index = vx.Vx(
    dimension=4,
    storage_path=":memory:",
    distance="cosine",
    max_elements=1000000,
    hnsw_m=16,
    hnsw_ef_construct=200,
    hnsw_ef_search=100,
    batch_size=1000,
    persist_interval="5m",
    backup_interval="1h",
    backup_path=None,
    backup_compression=True,
    max_backups=5,
    encryption_enabled=False,
    encryption_key="",
    enable_dim_reduction=False,
    dim_reduction_method="PCA",
    dim_reduction_target=2,
    dim_reduction_adaptive=False,
    dim_reduction_min_variance=0.95,
)

index.add(1, [0.1, 0.2, 0.3, 0.4], {"category": "science"})
index.add(id=2, vector=[0.4, 0.3, 0.2, 0.1])

print("nearest:", index.search([0.1, 0.2, 0.3, 0.4], k=1)[0]["id"])

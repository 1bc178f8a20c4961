"""Speed of the MLP: five repeats together against one after the other, and the share of time in matrix products."""

import os
import statistics
import time
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import torch

from pulib.experiments.logs import start_log
from pulib.experiments.runner import machine_name
from pulib.neural import NeuralPUClassifier, fit_together

RUNS, REPEATS = 3, 5


def plain_fit(X, labeled, batch_size, epochs, seed):
    """The loop that one would write: torch.nn.Sequential, torch.optim.Adam, and the sigmoid nnPU risk."""
    torch.manual_seed(seed)
    sizes, layers = [X.shape[1], 300, 300, 300, 300], []
    for i, o in pairwise(sizes):
        layers += [torch.nn.Linear(i, o, bias=False), torch.nn.BatchNorm1d(o), torch.nn.ReLU()]
    net = torch.nn.Sequential(*layers, torch.nn.Linear(300, 1))
    optimizer = torch.optim.Adam(net.parameters(), weight_decay=0.005)
    rows, mark = torch.from_numpy(X), torch.from_numpy(labeled)
    for _ in range(epochs):
        for part in torch.randperm(len(rows)).split(batch_size):
            g, p = net(rows[part]).squeeze(1), mark[part]
            n_p, n_u = p.sum().clamp(min=1), (~p).sum().clamp(min=1)
            r_p, r_pn = 0.4 * torch.sigmoid(-g[p]).sum() / n_p, 0.4 * torch.sigmoid(g[p]).sum() / n_p
            r_n = torch.sigmoid(g[~p]).sum() / n_u - r_pn
            optimizer.zero_grad()
            (-r_n if r_n < 0 else r_p + r_n).backward()
            optimizer.step()


def seconds(work):
    work()
    taken = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return taken


def product_share(X, labeled, batch_size, epochs):
    """Self time of matrix products over the time of a fit, by PyTorch's profiler."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        NeuralPUClassifier(prior=0.4, epochs=epochs, batch_size=batch_size, n_threads=1, random_state=0).fit(X, labeled)
    events = {event.key: event.self_cpu_time_total for event in profile.key_averages()}
    return sum(t for key, t in events.items() if "linear_pointwise" in key or key in ("aten::mm", "aten::bmm")) / sum(
        events.values()
    )


start_log(snakemake.log[0])
rng, cores, rows = np.random.default_rng(0), os.cpu_count() or 1, []
torch.set_num_threads(cores)
for n, d, batch_size, epochs in ((2000, 30, 100, 3), (4000, 112, 250, 3), (8000, 112, 1000, 2)):
    X, labeled = rng.normal(size=(n, d)).astype(np.float32), np.arange(n) < n // 6

    def fresh(n_threads, epochs=epochs, batch_size=batch_size):
        options = {"prior": 0.4, "epochs": epochs, "batch_size": batch_size, "n_threads": n_threads}
        return [NeuralPUClassifier(random_state=seed, **options) for seed in range(REPEATS)]

    def together(X=X, labeled=labeled, fresh=fresh):
        fit_together(fresh(1), [X] * REPEATS, [labeled] * REPEATS, n_jobs=cores)

    def one_by_one(n_threads, X=X, labeled=labeled, fresh=fresh):
        for classifier in fresh(n_threads):
            classifier.fit(X, labeled)

    def plain(X=X, labeled=labeled, batch_size=batch_size, epochs=epochs):
        for seed in range(REPEATS):
            plain_fit(X, labeled, batch_size, epochs, seed)

    shape = f"{n} x {d}, batches of {batch_size}; {product_share(X, labeled, batch_size, epochs):.0%} in matrix products"
    ours = seconds(together)
    references = {
        "fit with the same result (n_threads=1), one after the other": partial(one_by_one, 1),
        f"fit with n_threads={cores}, one after the other": partial(one_by_one, cores),
        f"a plain PyTorch loop on {cores} threads, one after the other": plain,
    }
    for name, work in references.items():
        theirs = seconds(work)
        m, t = statistics.median(ours), statistics.median(theirs)
        rows.append(
            (
                f"{REPEATS} repeats of the MLP together",
                shape,
                name,
                m,
                t,
                t / m,
                min(theirs) / max(ours),
                max(theirs) / min(ours),
            )
        )
columns = ["benchmark", "shape", "reference", "ours_s", "reference_s", "ratio", "min", "max"]
table = pd.DataFrame(rows, columns=columns).assign(threads=cores, machine=machine_name())
table.to_csv(snakemake.output.csv, index=False)

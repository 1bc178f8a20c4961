# Runs the workflow without anything installed but a container engine:
#   docker build -t pulib .
#   docker run --rm --read-only --tmpfs /tmp -v "$PWD/run:/run/pulib" pulib --cores all
# The image holds no networks (build with --build-arg EXTRA=all for PyTorch), runs as a user without rights, and its root may be
# read-only: results go to the folder that is mounted, compiled kernels were cached when the image was built.
FROM python:3.11-slim

ARG EXTRA=studies
ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 MPLBACKEND=Agg \
    NUMBA_CACHE_DIR=/opt/pulib-kernels HOME=/tmp XDG_CACHE_HOME=/tmp/cache MPLCONFIGDIR=/tmp/matplotlib

WORKDIR /opt/pulib
COPY . .
# git is needed for the version only, which comes from the tags; compiled kernels are for any processor of this kind
RUN apt-get update && apt-get install -y --no-install-recommends git \
    && pip install -e ".[${EXTRA}]" \
    && apt-get purge -y git && apt-get autoremove -y && rm -rf /var/lib/apt/lists/* \
    && NUMBA_CPU_NAME=generic python -m pulib.warm_up \
    && useradd --uid 1000 --no-create-home pulib && mkdir -p /run/pulib && chown pulib /run/pulib
ENV NUMBA_CPU_NAME=generic

USER pulib
WORKDIR /run/pulib
ENTRYPOINT ["snakemake", "--snakefile", "/opt/pulib/Snakefile", "--workflow-profile", "/opt/pulib/profiles/default", "--configfile", "/opt/pulib/config/config.yaml"]
CMD ["--cores", "all"]

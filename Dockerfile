# pw and the panel with Chromium, as a user without privileges. See docs/how-to/container.md.
FROM python:3.13-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium fonts-liberation \
    && rm -rf /var/lib/apt/lists/*
COPY . /tmp/pwtui
RUN pip install --no-cache-dir /tmp/pwtui && rm -rf /tmp/pwtui
RUN useradd --create-home --uid 1000 pwtui && install -d -o pwtui /work
USER pwtui
WORKDIR /work
CMD ["pw", "help"]

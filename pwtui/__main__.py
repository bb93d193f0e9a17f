"""`python -m pwtui` opens the panel."""

import sys

from pwtui.cli.panel import main

if __name__ == "__main__":
    sys.exit(main())

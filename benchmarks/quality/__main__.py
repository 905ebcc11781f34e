"""Run the studies and write the page: `make quality`."""

from quality.run import main

main()

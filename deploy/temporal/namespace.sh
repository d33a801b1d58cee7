#!/bin/sh
# Makes the namespace of Waymark's workflows where it is missing. A workflow that ended stays to be seen for 30 days.
set -eu

temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
	temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d

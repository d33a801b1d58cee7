#!/bin/sh
# Creates the namespace of Waymark's workflows if it is missing. Ended workflows stay visible for 30 days.
set -eu

temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
	temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d

#!/bin/sh
# Brings the schemas of Temporal's two databases up to date. Harmless when repeated.
set -eu

bring_up() {
	SQL_DATABASE=$1
	export SQL_DATABASE
	temporal-sql-tool setup-schema --version 0.0
	temporal-sql-tool update-schema --schema-name "postgresql/v12/$2"
}

bring_up temporal temporal
bring_up temporal_visibility visibility

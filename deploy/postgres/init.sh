#!/bin/bash
# The image of PostgreSQL runs this once, when its volume is empty. It creates a role and databases each for Waymark and
# Temporal, and a role for Waymark's edges; `migrate --edge-role` grants that role its rights.
set -euo pipefail

psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres \
	--set=waymark_password="$WAYMARK_DATABASE_PASSWORD" --set=edge_password="$EDGE_DATABASE_PASSWORD" \
	--set=temporal_password="$TEMPORAL_DATABASE_PASSWORD" <<'SQL'
create role waymark login password :'waymark_password';
create database waymark owner waymark;
create role waymark_edge login password :'edge_password';
create role temporal login password :'temporal_password';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
SQL

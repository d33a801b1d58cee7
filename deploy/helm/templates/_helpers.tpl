{{- define "waymark.selector" -}}
app.kubernetes.io/name: waymark
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "waymark.labels" -}}
{{ include "waymark.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* Names of the release's own resources begin with the release's name. */}}
{{- define "waymark.name" -}}
{{ printf "%s-%s" .root.Release.Name .name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "waymark.metadata" -}}
name: {{ include "waymark.name" . }}
labels:
  {{- include "waymark.labels" . | nindent 2 }}
{{- end }}

{{- define "waymark.image" -}}
{{- $image := .root.Values.image -}}
{{- if .tag -}}
{{ $image.repository }}:{{ .tag }}
{{- else if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* What every pod has: no root, no token, and no variables named after services, since EDGE_PORT is a setting of Waymark. */}}
{{- define "waymark.pod" -}}
enableServiceLinks: false
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Where pods of a component run: apart from each other, by zone and by node. */}}
{{- define "waymark.placement" -}}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "waymark.selector" $ | nindent 8 }}
  {{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "waymark.container" -}}
image: {{ include "waymark.image" (dict "root" .root "tag" .values.tag) }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
resources:
  {{- toYaml .values.resources | nindent 2 }}
{{- end }}

{{/* Settings of APIs and workers; a change of them replaces the pods, by the checksum in their annotations. */}}
{{- define "waymark.workEnvironment" -}}
- configMapRef: { name: {{ include "waymark.name" (dict "root" .root "name" "settings") }} }
- secretRef: { name: {{ .root.Values.secrets.main }} }
- configMapRef: { name: {{ include "waymark.name" (dict "root" .root "name" "work-settings") }} }
- secretRef: { name: {{ .root.Values.secrets.work }} }
{{- end }}

{{- define "waymark.settingsChecksum" -}}
waymark/settings: {{ list .root.Values.settings .root.Values.workSettings | toJson | sha256sum }}
{{- end }}

{{/* The beginning of a Deployment, with that of its pods; what else is in their spec follows. */}}
{{- define "waymark.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "waymark.metadata" . | nindent 2 }}
spec:
  {{- if not .values.autoscaling.enabled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "waymark.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "waymark.labels" . | nindent 8 }}
      annotations:
        {{- include "waymark.settingsChecksum" . | nindent 8 }}
    spec:
      {{- include "waymark.pod" . | nindent 6 }}
      {{- include "waymark.placement" . | nindent 6 }}
{{- end }}

{{/* A budget for disruptions, and where it is switched on an autoscaler. */}}
{{- define "waymark.scaling" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "waymark.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "waymark.selector" . | nindent 6 }}
{{- if .values.autoscaling.enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "waymark.metadata" . | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: {{ .kind }}
    name: {{ include "waymark.name" . }}
  minReplicas: {{ .values.autoscaling.min }}
  maxReplicas: {{ .values.autoscaling.max }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .values.autoscaling.cpuPercent }}
{{- end }}
{{- end }}

{{/* The beginning of a policy for pods of some components; whom they may reach, or who may reach them, follows. */}}
{{- define "waymark.policy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "waymark.metadata" (merge (dict "component" "policy") .) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      app.kubernetes.io/instance: {{ .root.Release.Name }}
    matchExpressions:
      - { key: app.kubernetes.io/component, operator: In, values: {{ toJson .components }} }
  policyTypes: [{{ .type }}]
{{- end }}

{{/* The internet. Without private, shared and link-local ranges: the cluster itself, and the metadata of its machines, which hand
out credentials (169.254.169.254, fd00:ec2::254). Ranges of IPv6 that stand for IPv4 addresses are outside of 2000::/3 or excepted. */}}
{{- define "waymark.internet" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      - 0.0.0.0/8
      - 10.0.0.0/8
      - 100.64.0.0/10
      - 127.0.0.0/8
      - 169.254.0.0/16
      - 172.16.0.0/12
      - 192.0.0.0/24
      - 192.168.0.0/16
      - 198.18.0.0/15
      - 224.0.0.0/4
      - 240.0.0.0/4
- ipBlock:
    cidr: 2000::/3
    except:
      - 2001::/32
      - 2002::/16
{{- end }}

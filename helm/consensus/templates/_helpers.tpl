{{/* The chart's name, or what replaces it. */}}
{{- define "consensus.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of everything installed. 54 characters leave room for "-headless". */}}
{{- define "consensus.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 54 | trimSuffix "-" }}
{{- else if contains (default .Chart.Name .Values.nameOverride) .Release.Name }}
{{- .Release.Name | trunc 54 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (default .Chart.Name .Values.nameOverride) | trunc 54 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Chart and version, for a label. */}}
{{- define "consensus.chart" -}}
{{- printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Labels of everything. */}}
{{- define "consensus.labels" -}}
helm.sh/chart: {{ include "consensus.chart" . }}
{{ include "consensus.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Labels that select: they must never change, so the chart's version is not among them. */}}
{{- define "consensus.selectorLabels" -}}
app.kubernetes.io/name: {{ include "consensus.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The service account's name. */}}
{{- define "consensus.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "consensus.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* The image, by digest where there is one. */}}
{{- define "consensus.image" -}}
{{- $image := .Values.image }}
{{- if $image.digest }}
{{- printf "%s@%s" $image.repository $image.digest }}
{{- else }}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) }}
{{- end }}
{{- end }}

{{/* Name of the ConfigMap that holds the policy. */}}
{{- define "consensus.policyConfigMap" -}}
{{- $policy := .Values.policy }}
{{- if and $policy.content $policy.existingConfigMap }}
{{- fail "policy.content and policy.existingConfigMap are both set; set policy.content to \"\" to use the ConfigMap" }}
{{- else if $policy.existingConfigMap }}
{{- $policy.existingConfigMap }}
{{- else if $policy.content }}
{{- printf "%s-policy" (include "consensus.fullname" .) }}
{{- else }}
{{- fail "there is no policy; set policy.content or policy.existingConfigMap" }}
{{- end }}
{{- end }}

{{/*
Seconds until a stopping pod may be killed: preStop, drain delay, the longest call, 5 to flush and
10 to spare. The kubelet's clock starts before preStop.
*/}}
{{- define "consensus.terminationGrace" -}}
{{- $stop := .Values.shutdown }}
{{- $least := add $stop.preStopSeconds $stop.drainDelaySeconds .Values.server.maxDeadlineSeconds 5 10 }}
{{- $wanted := .Values.terminationGracePeriodSeconds }}
{{- if kindIs "invalid" $wanted }}
{{- $least }}
{{- else if lt (int64 $wanted) $least }}
{{- fail (printf "terminationGracePeriodSeconds is %d, which cuts calls under way; it must be at least %d (preStop %d + drain delay %d + longest deadline %d + 15), or unset" (int64 $wanted) $least (int64 $stop.preStopSeconds) (int64 $stop.drainDelaySeconds) (int64 .Values.server.maxDeadlineSeconds)) }}
{{- else }}
{{- int64 $wanted }}
{{- end }}
{{- end }}

{{/* The settings of `consensus serve`; each name is CONSENSUS_SERVE_ and a flag's. */}}
{{- define "consensus.environment" -}}
{{- $server := .Values.server }}
{{- if gt (int64 $server.defaultDeadlineSeconds) (int64 $server.maxDeadlineSeconds) }}
{{- fail (printf "server.defaultDeadlineSeconds is %d, above server.maxDeadlineSeconds, %d" (int64 $server.defaultDeadlineSeconds) (int64 $server.maxDeadlineSeconds)) }}
{{- end }}
{{- if eq (int64 .Values.ports.grpc) (int64 .Values.ports.metrics) }}
{{- fail (printf "ports.grpc and ports.metrics are both %d" (int64 .Values.ports.grpc)) }}
{{- end -}}
- name: CONSENSUS_SERVE_LISTEN
  value: {{ printf "0.0.0.0:%d" (int64 .Values.ports.grpc) | quote }}
- name: CONSENSUS_SERVE_METRICS
  value: {{ printf "0.0.0.0:%d" (int64 .Values.ports.metrics) | quote }}
# There is no authentication yet: a network policy or a mesh must keep strangers out.
- name: CONSENSUS_SERVE_EXPOSE
  value: "true"
- name: CONSENSUS_SERVE_POLICY_FILE
  value: /etc/consensus/policies.yaml
- name: CONSENSUS_SERVE_RELOAD_SECONDS
  value: {{ .Values.policy.reloadSeconds | quote }}
- name: CONSENSUS_SERVE_MAX_INFLIGHT
  value: {{ int64 $server.maxInflight | quote }}
- name: CONSENSUS_SERVE_DEFAULT_DEADLINE_SECONDS
  value: {{ int64 $server.defaultDeadlineSeconds | quote }}
- name: CONSENSUS_SERVE_MAX_DEADLINE_SECONDS
  value: {{ int64 $server.maxDeadlineSeconds | quote }}
- name: CONSENSUS_SERVE_MAX_MESSAGE_BYTES
  value: {{ int64 $server.maxMessageBytes | quote }}
- name: CONSENSUS_SERVE_REFLECTION
  value: {{ $server.reflection | quote }}
- name: CONSENSUS_SERVE_DRAIN_DELAY_SECONDS
  value: {{ int64 .Values.shutdown.drainDelaySeconds | quote }}
# No call lives longer than the longest deadline, so nothing is cut.
- name: CONSENSUS_SERVE_DRAIN_GRACE_SECONDS
  value: {{ int64 $server.maxDeadlineSeconds | quote }}
- name: CONSENSUS_SERVE_LOG_LEVEL
  value: {{ $server.logLevel | quote }}
- name: CONSENSUS_SERVE_AUDIT
  value: {{ $server.audit | quote }}
{{- end }}

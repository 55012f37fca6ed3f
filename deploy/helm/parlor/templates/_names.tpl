{{- define "parlor.labels" -}}
app.kubernetes.io/name: parlor
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "parlor.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "parlor.secretName" -}}
{{ .Values.connections.existingSecret | default (printf "%s-connections" .Release.Name) }}
{{- end -}}

{{- define "parlor.environment" -}}
- {name: PARLOR_SECRETS_DIR, value: /run/parlor}
- {name: PARLOR_SESSION_URL, value: http://{{ .Release.Name }}-session}
{{- range $name, $value := .Values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end -}}

{{- define "parlor.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "parlor.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

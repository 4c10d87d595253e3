// Package otel tests the observer for OpenTelemetry with what collects and exports: a module of its own, so that who uses ahpgen
// does not get the SDK's modules into go.sum.
package otel

// Package pages opens what ahpgen doc and ahpgen diff --format html make in a browser without a screen. It is a module of
// its own for what it needs to talk to the browser.
package pages

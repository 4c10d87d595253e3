// The generated files of this folder come from the schemas in schemas/mcp/2025-11-25.

package sessions

//go:generate go run ../../ahpgen generate

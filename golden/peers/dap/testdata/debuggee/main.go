// A program to be debugged: it adds numbers, and says what they are.
package main

import "fmt"

func main() {
	total := 0
	for i, name := range []string{"one", "two", "three"} {
		total += i // line 9 has the breakpoint
		fmt.Println(name, total)
	}
}

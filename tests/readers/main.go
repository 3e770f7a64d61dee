// A stranger's reader of a public log: Go's own transparency log packages over plain HTTP, and nothing of svc.
//
// It reads a signed state, proves that every record is under it, and that a later state has grown from an earlier one.
//
//	readers PREFIX KEYS            prints the state that it read and proved
//	readers PREFIX KEYS STATE      the same, and proves growth from the state in this file, which it printed before
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	height   = 8
	maxBytes = 32 << 20
)

func main() {
	if len(os.Args) < 3 {
		fail("PREFIX and KEYS are needed")
	}
	prefix := os.Args[1]
	keys := verifiers(os.Args[2])
	tree, signed := open(get(prefix, "checkpoint"), keys)
	hashes := tlog.TileHashReader(tree, tiles{prefix})
	// Records before this one were pruned: their hashes are there, and every later record is proven by them.
	proven := minimum(prefix, tree, keys)
	for bundle := proven / 256; bundle*256 < tree.N; bundle++ {
		proven += prove(prefix, tree, hashes, bundle)
	}
	if proven != tree.N {
		fail("%d of %d records are proven", proven, tree.N)
	}
	if len(os.Args) > 3 {
		earlier, err := os.ReadFile(os.Args[3])
		check(err)
		before, _ := open(earlier, keys)
		proof, err := tlog.ProveTree(tree.N, before.N, hashes)
		check(err)
		check(tlog.CheckTree(proof, tree.N, tree.Hash, before.N, before.Hash))
	}
	os.Stdout.Write(signed)
}

// minimum reads where a log begins (C2SP tlog-tiles, pruning): a signed note, none for a log that was never pruned.
func minimum(prefix string, tree tlog.Tree, keys note.Verifiers) int64 {
	answer, err := http.Get(prefix + "/minimum-index")
	check(err)
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusNotFound {
		return 0
	}
	if answer.StatusCode != http.StatusOK {
		fail("minimum-index: %s", answer.Status)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBytes))
	check(err)
	opened, err := note.Open(body, keys)
	check(err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 3 || lines[0] != opened.Sigs[0].Name+"/minimum-index" || lines[2] != "" {
		fail("the minimum index has another form")
	}
	index, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	if index <= 0 || index%256 != 0 || index > tree.N {
		fail("the minimum index is no border of tiles")
	}
	return index
}

// prove proves every record of a bundle, each by a path of its own.
func prove(prefix string, tree tlog.Tree, hashes tlog.HashReader, bundle int64) int64 {
	width := tree.N - bundle*256
	if width > 256 {
		width = 256
	}
	data := get(prefix, "tile/entries/"+number(bundle)+partial(width))
	for at := int64(0); at < width; at++ {
		if len(data) < 2 {
			fail("bundle %d ends early", bundle)
		}
		length := int(binary.BigEndian.Uint16(data))
		if len(data) < 2+length {
			fail("bundle %d ends inside a record", bundle)
		}
		index := bundle*256 + at
		proof, err := tlog.ProveRecord(tree.N, index, hashes)
		check(err)
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(data[2:2+length])))
		data = data[2+length:]
	}
	if len(data) > 0 {
		fail("bundle %d is longer than its records", bundle)
	}
	return width
}

func verifiers(path string) note.Verifiers {
	text, err := os.ReadFile(path)
	check(err)
	var list []note.Verifier
	for _, line := range strings.Fields(string(text)) {
		key, err := note.NewVerifier(line)
		check(err)
		list = append(list, key)
	}
	return note.VerifierList(list...)
}

// open reads a signed state: a name, a size, a root.
func open(signed []byte, keys note.Verifiers) (tlog.Tree, []byte) {
	opened, err := note.Open(signed, keys)
	check(err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != opened.Sigs[0].Name || lines[3] != "" {
		fail("the checkpoint has another form")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := base64.StdEncoding.DecodeString(lines[2])
	check(err)
	if len(root) != tlog.HashSize {
		fail("the root has another length")
	}
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], root)
	return tree, signed
}

// tiles reads tiles of hashes. The package checks them against the signed root.
type tiles struct{ prefix string }

func (t tiles) Height() int { return height }

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range wanted {
		all = append(all, get(t.prefix, fmt.Sprintf("tile/%d/%s%s", tile.L, number(tile.N), partial(int64(tile.W)))))
	}
	return all, nil
}

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// number writes a number as C2SP tlog-tiles does: three digits a part, an x before all but the last.
func number(n int64) string {
	text := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		text = fmt.Sprintf("x%03d/%s", n%1000, text)
	}
	return text
}

func partial(width int64) string {
	if width == 256 {
		return ""
	}
	return fmt.Sprintf(".p/%d", width)
}

func get(prefix, path string) []byte {
	answer, err := http.Get(prefix + "/" + path)
	check(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		fail("%s: %s", path, answer.Status)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBytes))
	check(err)
	return body
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, values ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}

module github.com/waymark/waymark/sdk/go

go 1.24

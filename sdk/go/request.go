package waymark

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/url"
	"strings"
)

// File is a file to upload.
type File struct {
	// Name ends as its kind does: links.csv, logo.png.
	Name    string
	Content io.Reader
}

// request is a call: its method and path as in /doc, and what goes into it.
type request struct {
	method string
	path   string
	ids    []string
	query  any
	body   any
}

// call gives the answer as a T.
func call[T any](ctx context.Context, own settings, asked request, options []Option) (T, error) {
	var answer T
	data, err := read(ctx, own, asked, options)
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return answer, fmt.Errorf("waymark: %s %s: the answer is not as described: %w", asked.method, asked.path, err)
	}
	return answer, nil
}

// read gives the bytes of the answer.
func read(ctx context.Context, own settings, asked request, options []Option) ([]byte, error) {
	body, err := open(ctx, own.with(options), asked, false)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(body)
}

// stream gives an answer that the caller reads and closes.
func stream(ctx context.Context, own settings, asked request, options []Option) (io.ReadCloser, error) {
	return open(ctx, own.with(options), asked, true)
}

func open(ctx context.Context, own settings, asked request, isStream bool) (io.ReadCloser, error) {
	response, err := own.send(ctx, asked, isStream)
	if err != nil {
		return nil, err
	}
	if own.onResponse != nil {
		own.onResponse(response)
	}
	return response.Body, nil
}

// encode returns the address, the body and its type.
func (asked request) encode(own settings) (address string, body []byte, contentType string, err error) {
	path := asked.path
	for _, id := range asked.ids {
		// These lead to another call: two dots to the path above, one dot or nothing to that of all.
		if id == "" || id == "." || id == ".." {
			return "", nil, "", fmt.Errorf("waymark: %s %s: this is no id: %q", asked.method, asked.path, id)
		}
		start, end := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		path = path[:start] + url.PathEscape(id) + path[end+1:]
	}
	query, err := valuesOf(asked.query)
	if err != nil {
		return "", nil, "", err
	}
	maps.Copy(query, own.query)
	// Behind a query or fragment, the paths of calls would be a part of it.
	isCut := strings.ContainsAny(own.baseURL, "?#")
	if base, err := url.Parse(own.baseURL); err != nil || isCut || base.Host == "" || !strings.HasPrefix(base.Scheme, "http") {
		return "", nil, "", fmt.Errorf("waymark: the address of the API is like https://api.example.com, not %q", own.baseURL)
	}
	address = own.baseURL + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	if asked.body == nil {
		return address, nil, "", nil
	}
	if form, ok := asked.body.(interface{ file() File }); ok {
		body, contentType, err = encodeForm(form.file(), asked.body)
		return address, body, contentType, err
	}
	body, err = json.Marshal(asked.body)
	return address, body, "application/json", err
}

// valuesOf reads the fields of a flat struct; a list is a field several times.
func valuesOf(fields any) (url.Values, error) {
	values := url.Values{}
	data, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	var parts map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&parts); err != nil {
		return nil, err
	}
	for name, part := range parts {
		list, ok := part.([]any)
		if !ok {
			list = []any{part}
		}
		for _, value := range list {
			if value != nil {
				values.Add(name, fmt.Sprint(value))
			}
		}
	}
	return values, nil
}

// encodeForm reads the whole file, so that it can be sent again.
func encodeForm(file File, fields any) ([]byte, string, error) {
	values, err := valuesOf(fields)
	if err != nil {
		return nil, "", err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name := range values {
		if err := form.WriteField(name, values.Get(name)); err != nil {
			return nil, "", err
		}
	}
	part, err := form.CreateFormFile("file", file.Name)
	if err != nil {
		return nil, "", err
	}
	if file.Content == nil {
		return nil, "", fmt.Errorf("waymark: the file %q has no content", file.Name)
	}
	if _, err := io.Copy(part, file.Content); err != nil {
		return nil, "", err
	}
	err = form.Close()
	return body.Bytes(), form.FormDataContentType(), err
}

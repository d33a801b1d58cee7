package waymark

import "encoding/json"

// Optional is a field of a request that may be absent (its zero value), null, or a value: Set("Spring"), Null[string]().
type Optional[T any] struct {
	value  T
	isSet  bool
	isNull bool
}

// Set is a field with a value.
func Set[T any](value T) Optional[T] {
	return Optional[T]{value: value, isSet: true}
}

// Null is a field that is sent as null: an update empties it.
func Null[T any]() Optional[T] {
	return Optional[T]{isNull: true}
}

// Get returns the value; false where the field is absent or null.
func (field Optional[T]) Get() (T, bool) {
	return field.value, field.isSet
}

// IsNull tells null from absent.
func (field Optional[T]) IsNull() bool {
	return field.isNull
}

// IsZero tells whether the field is absent.
func (field Optional[T]) IsZero() bool {
	return !field.isSet && !field.isNull
}

// MarshalJSON writes the value, or null.
func (field Optional[T]) MarshalJSON() ([]byte, error) {
	if !field.isSet {
		return []byte("null"), nil
	}
	return json.Marshal(field.value)
}

// UnmarshalJSON reads a value, or null.
func (field *Optional[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*field = Null[T]()
		return nil
	}
	*field = Optional[T]{isSet: true}
	return json.Unmarshal(data, &field.value)
}

// Whether this one element is a field whose content must not be repeated.
(element) => isSecret(element)

"""Labels as files that others read: one file a format, one entry each in `reasoning.exports.registry`."""

"""The version of Lastro, said once."""

VERSION = "0.1.0"

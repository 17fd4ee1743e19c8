#!/bin/sh
# Runs this benchmark: sh ./run.sh BUILD [--quick]
. ../one.sh

/* yoke/yoke.h -- everything. */
#ifndef YOKE_YOKE_H
#define YOKE_YOKE_H

#include "yoke/check.h"
#include "yoke/compose.h"
#include "yoke/equation.h"
#include "yoke/event.h"
#include "yoke/file.h"
#include "yoke/netlist.h"
#include "yoke/graph.h"
#include "yoke/iterate.h"
#include "yoke/mechanism.h"
#include "yoke/mesh.h"
#include "yoke/optional.h"
#include "yoke/ph.h"
#include "yoke/profile.h"
#include "yoke/propagator.h"
#include "yoke/report.h"
#include "yoke/result.h"
#include "yoke/run.h"
#include "yoke/sparse.h"
#include "yoke/status.h"
#include "yoke/stepper.h"
#include "yoke/system.h"
#include "yoke/version.h"
#include "yoke/wave.h"

#endif

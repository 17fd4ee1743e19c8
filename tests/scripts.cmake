# Checks of the sources, the library and the installation by scripts.  Exit
# status 77 means skipped, with the reason printed.
function(yoke_script name)
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${YOKE_STUCK}
        SKIP_RETURN_CODE 77)
endfunction()

set(here ${CMAKE_CURRENT_SOURCE_DIR})
foreach(check layers format headers length links man readme)
    yoke_script(static_${check} sh ${here}/static/${check}.sh)
endforeach()

yoke_script(static_options sh ${here}/static/options.sh
    $<TARGET_FILE:yoke_program> ${CMAKE_SOURCE_DIR}/docs/man/yoke.1)
yoke_script(static_components sh ${here}/static/components.sh
    $<TARGET_FILE:yoke_program> ${CMAKE_SOURCE_DIR}/docs/manual/components.md
    ${CMAKE_SOURCE_DIR}/docs/manual/system-file.md
    ${CMAKE_SOURCE_DIR}/docs/manual/fmu.md
    ${CMAKE_SOURCE_DIR}/docs/manual/programs.md)

# With the sanitizers the library needs their runtime: not what users get.
if(NOT CMAKE_C_FLAGS MATCHES "sanitize|coverage")
    yoke_script(static_exports sh ${here}/static/exports.sh
        $<TARGET_FILE:yoke> ${CMAKE_SOURCE_DIR}/include/yoke)
    yoke_script(install sh ${here}/install/run.sh ${CMAKE_BINARY_DIR}
        ${CMAKE_COMMAND})
endif()

# Fields against GetDP.
yoke_script(field_getdp sh ${here}/field/getdp.sh $<TARGET_FILE:yoke_program>
    ${CMAKE_SOURCE_DIR}/examples/transformer-rectifier/transformer.msh)

# The fuzz targets read their corpus in the folder of their source.
set(TESTS)
include(fuzz/files.cmake OPTIONAL)
foreach(test IN LISTS TESTS)
    set_tests_properties(fuzz_${test} PROPERTIES
        WORKING_DIRECTORY ${here}/fuzz)
endforeach()

# Reads models and the manual.
set_tests_properties(conform_base_modelica PROPERTIES
    WORKING_DIRECTORY ${here})

# ---- make fuzz: the same sources with libFuzzer ----------------------------
option(YOKE_FUZZ "Build the targets of libFuzzer (clang)" OFF)
if(YOKE_FUZZ)
    add_custom_target(fuzzers)
    foreach(test IN LISTS TESTS)
        add_executable(libfuzzer_${test} fuzz/${test}.c)
        target_compile_definitions(libfuzzer_${test} PRIVATE YOKE_FUZZER=1)
        target_link_libraries(libfuzzer_${test} PRIVATE yoke_objects
            ${YOKE_LIBRARIES} Threads::Threads -fsanitize=fuzzer)
        set_target_properties(libfuzzer_${test} PROPERTIES
            OUTPUT_NAME ${test}
            RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
        add_dependencies(fuzzers libfuzzer_${test})
    endforeach()
endif()

# ---- The program: commands and what they must print, as text ---------------
foreach(case apart deep usage messages ends units options two_masses joint examples check fmu json verify limits
    restarts initial inputs at_stop model_alone
    compare measure sweep steady wild)
    yoke_script(golden_${case} sh ${here}/golden/run.sh
        $<TARGET_FILE:yoke_program> ${here}/golden/${case}.txt)
endforeach()
yoke_script(golden_start sh ${here}/golden/run.sh
    $<TARGET_FILE:yoke_program> ${here}/golden/start.txt)
yoke_script(golden_ports sh ${here}/golden/run.sh
    $<TARGET_FILE:yoke_program> ${here}/golden/ports.txt)
yoke_script(golden_problems sh ${here}/golden/run.sh
    $<TARGET_FILE:yoke_program> ${here}/golden/problems.txt)
foreach(case info pictures interrupt faults overhead cache)
    yoke_script(golden_${case} sh ${here}/golden/${case}.sh
        $<TARGET_FILE:yoke_program>)
endforeach()

yoke_script(golden_sweep_stopped sh ${here}/golden/sweep.sh
    $<TARGET_FILE:yoke_program>)

# ---- Every example to its expected values, the tutorial, completion --------
yoke_script(examples sh ${here}/golden/examples.sh
    $<TARGET_FILE:yoke_program>)
# ---- Runs that are killed and go on: the bytes of a run that was not ----------
set(kept ${here}/checkpoint)
yoke_script(checkpoint_refuse sh ${kept}/refuse.sh $<TARGET_FILE:yoke_program>)
yoke_script(checkpoint_again sh ${kept}/again.sh $<TARGET_FILE:yoke_program>)
yoke_script(checkpoint_others sh ${kept}/others.sh $<TARGET_FILE:yoke_program>)
yoke_script(checkpoint_kill sh ${kept}/kill.sh $<TARGET_FILE:yoke_program> 8 1)
yoke_script(checkpoint_small sh ${kept}/examples.sh
    $<TARGET_FILE:yoke_program> csv 12 floating-capacitor joint netlist-plant
    pendulum port-hamiltonian-circuit port-hamiltonian-masses rc-chain
    slider-crank swing two-masses van-der-pol)
yoke_script(checkpoint_first sh ${kept}/examples.sh
    $<TARGET_FILE:yoke_program> csv 1 joint netlist-plant swing)
yoke_script(checkpoint_parts sh ${kept}/examples.sh
    $<TARGET_FILE:yoke_program> csv 12 fmu-pair ssp-drive)
yoke_script(checkpoint_hdf5 sh ${kept}/examples.sh
    $<TARGET_FILE:yoke_program> h5 5 netlist-plant two-masses)
yoke_script(checkpoint_raw sh ${kept}/examples.sh
    $<TARGET_FILE:yoke_program> raw 5 netlist-plant two-masses)
yoke_script(checkpoint_large sh ${kept}/examples.sh
    $<TARGET_FILE:yoke_program> csv 12 diode-block heat-rod)
foreach(name four-bar transformer-rectifier pantograph)
    yoke_script(checkpoint_${name} sh ${kept}/examples.sh
        $<TARGET_FILE:yoke_program> csv 12 ${name})
    set_tests_properties(checkpoint_${name} PROPERTIES LABELS long)
endforeach()

yoke_script(tutorial sh ${here}/tutorial/run.sh $<TARGET_FILE:yoke_program>
    ${CMAKE_SOURCE_DIR}/docs/tutorial.md)
foreach(shell bash zsh)
    yoke_script(completion_${shell} sh ${here}/completion/${shell}.sh
        $<TARGET_FILE:yoke_program>)
endforeach()

# ---- The pages of yoke report: by commands, and in a browser ---------------
yoke_script(report_commands sh ${here}/golden/run.sh
    $<TARGET_FILE:yoke_program> ${here}/report/report.txt)
yoke_script(report_watch sh ${here}/report/watch.sh
    $<TARGET_FILE:yoke_program>)
yoke_script(report_browser sh ${here}/report/run.sh
    $<TARGET_FILE:yoke_program>)

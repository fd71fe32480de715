-- Copyright (c) 2026 eessi.arch_guard contributors
-- SPDX-License-Identifier: GPL-3.0-or-later
--
-- Sample of the EESSI module, for tests and examples: what it reads, sets and prints is what EESSI's own does,
-- without the RISC-V repositories and the debug messages. The repository below is replaced when a tree is built.

help([[Sample of the EESSI module, for tests]])
whatis("Description: sample of the EESSI module, for tests")
conflict("EESSI")

local repository = "/cvmfs/software.eessi.io"
local version = myModuleVersion()
local prefix = pathJoin(repository, "versions", version)
local init_prefix = pathJoin(prefix, "init")
local os_type = "linux"
local modules = pathJoin("modules", "all")
local site_prefix = os.getenv("EESSI_SITE_SOFTWARE_PREFIX")

-- The value that an init wrapper sets, or its override. It is read before the wrapper is sourced as well:
-- when the module is unloaded, sourcing takes the variable away.
local function detected(variable, override, wrapper)
    local before = os.getenv(variable) or os.getenv(override) or ""
    if not os.getenv(override) then
        if convertToCanonical(LmodVersion()) < convertToCanonical("8.6") then
            LmodError("Lmod 8.6 or newer is needed, or a value for " .. override)
        end
        source_sh("bash", pathJoin(init_prefix, wrapper))
    end
    return os.getenv(variable) or before
end

-- The same place in the site's own installations.
local function site_path(path)
    if site_prefix then
        return site_prefix .. path:sub(#repository + 1)
    end
    return repository .. "/host_injections" .. path:sub(#(repository .. "/versions") + 1)
end

local function first_installed(candidates)
    for candidate in candidates:gmatch("[^:]+") do
        if isDir(pathJoin(prefix, "software", os_type, candidate, "software")) then
            return candidate
        end
    end
    LmodError("No software directory for any of the CPU targets " .. candidates)
end

local function prepend_modulepath(directory)
    -- A spider run uses the cache that comes with the tree.
    if mode() ~= "spider" then
        prepend_path("MODULEPATH", directory)
    end
end

local subdir = first_installed(detected(
    "EESSI_ARCHDETECT_OPTIONS", "EESSI_ARCHDETECT_OPTIONS_OVERRIDE", "lmod_eessi_archdetect_wrapper.sh"))
local accel_override = os.getenv("EESSI_ACCELERATOR_TARGET_OVERRIDE")
if accel_override then
    setenv("EESSI_ACCEL_SUBDIR", accel_override)
end
local accel = detected(
    "EESSI_ACCEL_SUBDIR", "EESSI_ACCELERATOR_TARGET_OVERRIDE", "lmod_eessi_archdetect_wrapper_accel.sh")

local cpu_family = os.getenv("EESSI_CPU_FAMILY_OVERRIDE") or subdir:match("[^/]+")
local eprefix = pathJoin(prefix, "compat", os_type, cpu_family)
local software_path = pathJoin(prefix, "software", os_type, subdir)
local site_software_path = site_path(software_path)

for _, entry in ipairs({
    {"EESSI_VERSION", version},
    {"EESSI_VERSION_DEFAULT", version},
    {"EESSI_CVMFS_REPO", repository},
    {"EESSI_OS_TYPE", os_type},
    {"EESSI_PREFIX", prefix},
    {"EESSI_INIT_PREFIX", init_prefix},
    {"EESSI_CPU_FAMILY", cpu_family},
    {"EESSI_EPREFIX", eprefix},
    {"EPREFIX", eprefix},
    {"EESSI_SOFTWARE_LAYER_VERSION_SUFFIX", ""},
    {"EESSI_SOFTWARE_SUBDIR", subdir},
    {"EESSI_SOFTWARE_PATH", software_path},
    {"EESSI_MODULEPATH", pathJoin(software_path, modules)},
    {"EESSI_SITE_SOFTWARE_PATH", site_software_path},
    {"EESSI_SITE_MODULEPATH", pathJoin(site_software_path, modules)},
}) do
    setenv(entry[1], entry[2])
end

prepend_path("PATH", pathJoin(eprefix, "bin"))
prepend_path("PATH", pathJoin(eprefix, "usr", "bin"))
prepend_path("LMOD_RC", pathJoin(software_path, ".lmod", "lmodrc.lua"))
prepend_path("LMOD_RC", pathJoin(site_software_path, ".lmod", "lmodrc.lua"))
-- A site may have a value of its own, which comes back when the module is unloaded.
pushenv("LMOD_PACKAGE_PATH", pathJoin(software_path, ".lmod"))

prepend_modulepath(pathJoin(software_path, modules))
local accel_modules
if accel ~= "" then
    local accel_cpu = os.getenv("EESSI_ACCEL_SOFTWARE_SUBDIR_OVERRIDE") or subdir
    local function modules_of(target)
        return pathJoin(prefix, "software", os_type, accel_cpu, target, modules)
    end
    -- Without a tree for cc86, the one for cc80 is taken.
    if not isDir(modules_of(accel)) then
        accel = accel:sub(1, -2) .. "0"
    end
    accel_modules = modules_of(accel)
    if isDir(accel_modules) then
        setenv("EESSI_ACCELERATOR_TARGET", accel)
        setenv("EESSI_MODULEPATH_ACCEL", accel_modules)
        prepend_modulepath(accel_modules)
    end
end
-- The site's directories come in front of EESSI's.
prepend_path("MODULEPATH", pathJoin(site_software_path, modules))
if accel_modules and isDir(site_path(accel_modules)) then
    setenv("EESSI_SITE_MODULEPATH_ACCEL", site_path(accel_modules))
    prepend_path("MODULEPATH", site_path(accel_modules))
end

local family_name = os.getenv("EESSI_MODULE_FAMILY_NAME")
if family_name then
    family(family_name)
end

if os.getenv("EESSI_MODULE_UPDATE_PS1") and os.getenv("PS1") then
    local mark = "{EESSI/" .. version .. "} "
    execute{cmd = 'PS1="' .. mark .. '$PS1"', modeA = {"load"}}
    execute{cmd = 'PS1="${PS1#"' .. mark .. '"}"', modeA = {"unload"}}
end

local ca_bundle = "/etc/pki/tls/certs/ca-bundle.crt"
if isFile(ca_bundle) then
    for _, name in ipairs({"CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"}) do
        pushenv(name, ca_bundle)
    end
end

local message = "Module for EESSI/" .. version .. " loaded successfully"
if os.getenv("EESSI_MODULE_STICKY") then
    add_property("lmod", "sticky")
    message = message .. " (requires '--force' option to unload or purge)"
end
if mode() == "load" and not os.getenv("EESSI_MODULE_QUIET_LOAD") then
    LmodMessage(message)
end

using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Documents;

/// <summary>
/// Runs the commands of the docs page by page, as a reader would, in an empty folder beside the repository's. The fence says how:
/// <c>sh</c> runs to its end, <c>sh daemon</c> keeps running (a worker until the page's next one), <c>sh not-run: reason</c> cannot run here.
/// The programs are those of this build, and the ports are free ones.
/// </summary>
public sealed partial class CommandsTests
{
    private const string MissingPrograms = ".missing";
    private const string Readme = "README.md";

    private static readonly string[] Repository = ["benchmarks", "deploy", "samples", "src", "templates", "tests"];
    private static readonly string[] Ports = ["8080", "8088", "4566", "5672", "5300", "9200", "9081", "9082", "11000"];

    public static TheoryData<string> Pages =>
        [.. FindPages().Where(page => page != Readme && Blocks(page).Any(block => !block.Mark.StartsWith("not-run", StringComparison.Ordinal)))];

    [Fact]
    public Task Commands_OfTheReadme_Run() => RunAsync(Readme);

    [Theory]
    [Trait("Category", "Long")]
    [MemberData(nameof(Pages))]
    public Task Commands_OfAPage_Run(string page) => RunAsync(page);

    [Fact]
    public void Fences_WithCommands_SayWhetherTheyRun()
    {
        string[] unmarked = [
            .. FindPages().SelectMany(
                page => Fences(page)
                    .Where(fence => fence.Info.Length == 0 && Command.IsMatch(fence.Text))
                    .Select(fence => $"{page}: {fence.Text.Split('\n')[0]}"))];
        string[] unknown =
            [.. FindPages().SelectMany(page => Blocks(page).Where(block => !Mark.IsMatch(block.Mark)).Select(block => $"{page}: sh {block.Mark}"))];

        unmarked.Concat(unknown).ShouldBeEmpty();
    }

    /// <summary>`dotnet test` builds what a test project references, and nothing else.</summary>
    [Fact]
    public void Programs_OfThePages_AreReferencedByTheTests()
    {
        string[] projects = [.. FindPages().SelectMany(Blocks).Where(block => !block.Mark.StartsWith("not-run", StringComparison.Ordinal))
            .SelectMany(block => Project.Matches(block.Text)).Select(match => match.Groups[1].Value).Distinct()];
        string references = File.ReadAllText(RepositoryFolder.Combine("tests", "Integration.Tests", "Integration.Tests.csproj"));

        projects.ShouldNotBeEmpty();
        projects
            .Where(project => !Regex.IsMatch(
                references, $"""Include="\.\./(?:\.\./)?{project.Replace("tests/", string.Empty, StringComparison.Ordinal)}/\w+\.csproj"""))
            .ShouldBeEmpty();
    }

    private static async Task RunAsync(string page)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs bash");
        foreach (string server in (string[])["fauxqs", "servicebus", "azurite"])
        {
            if (Blocks(page).Any(
                block => !block.Mark.StartsWith("not-run", StringComparison.Ordinal)
                    && block.Text.Contains($"tests/servers/{server} ", StringComparison.Ordinal)))
            {
                await NodeRuntime.RequirePackagesAsync(RepositoryFolder.Combine("tests", "servers", server));
            }
        }

        if (Blocks(page).Any(block => block.Text.Contains("tests/servers/rabbitmq ", StringComparison.Ordinal))
            && !File.Exists("/usr/lib/rabbitmq/bin/rabbitmq-server"))
        {
            RequiredServers.Missing($"The commands of {page} need rabbitmq-server, which this machine does not have.");
        }

        string root = Directory.CreateTempSubdirectory("commands-").FullName;

        // Commands may write beside the repository's folder, such as ../orders.
        string folder = Directory.CreateDirectory(Path.Combine(root, "worker")).FullName;
        CopyDocs(folder);
        foreach (string name in Repository)
        {
            Directory.CreateSymbolicLink(Path.Combine(folder, name), RepositoryFolder.Combine(name));
        }

        string script = Path.Combine(folder, ".script");
        await File.WriteAllTextAsync(script, Script(page, folder));
        await using CapturedProcess bash = CapturedProcess.Start("/bin/bash", script);
        int exitCode = await bash.WaitForExitAsync(TimeSpan.FromMinutes(20));
        string[] missing = await File.ReadAllLinesAsync(Path.Combine(folder, MissingPrograms));
        if (missing.Length > 0)
        {
            Directory.Delete(root, recursive: true);
            RequiredServers.Missing($"The commands of {page} need {string.Join(", ", missing.Distinct())}, which this machine does not have.");
        }

        exitCode.ShouldBe(0, string.Join('\n', bash.Output.Snapshot().Select(line => line.Text)));
        Directory.Delete(root, recursive: true);
    }

    // Commands write there.
    private static void CopyDocs(string folder)
    {
        string docs = RepositoryFolder.Combine("docs");
        foreach (string file in Directory.EnumerateFiles(docs, "*", SearchOption.AllDirectories))
        {
            FileInfo copy = new(Path.Combine(folder, "docs", Path.GetRelativePath(docs, file)));
            copy.Directory!.Create();
            File.Copy(file, copy.FullName);
        }
    }

    private static string Script(string page, string folder)
    {
        Dictionary<string, int> ports = Ports.ToDictionary(port => port, _ => FreePort.Next());
        StringBuilder script = new($$"""
            set -eu
            # Jobs get process groups, which end as a whole.
            set -m
            cd {{folder}}
            export Hosting__Url=http://127.0.0.1:{{ports["8080"]}} Sources__Udp__Endpoint=127.0.0.1:{{ports["9081"]}} Sources__TcpLines__Endpoint=127.0.0.1:{{ports["9082"]}}
            : > {{MissingPrograms}}
            # bash calls it in place of a program that does not exist.
            command_not_found_handle() { echo "$1" >> {{folder}}/{{MissingPrograms}}; return 127; }
            worker= ; others=
            # The shell of a job ends before what it runs.
            finish() {
              kill -- -$1 2>/dev/null || true
              for _ in $(seq 600); do kill -0 -- -$1 2>/dev/null || return 0; sleep 0.1; done
              kill -KILL -- -$1
            }
            ended() { for job in $worker $others; do finish $job; done; }
            trap ended EXIT
            # A newcomer's SDK: no template is installed, and no package of the worker is cached. Third-party packages come from the machine's cache.
            newcomer() {
              local home=$page/../.home machine=${NUGET_PACKAGES:-$HOME/.nuget/packages} package
              if [ ! -d "$home" ]; then
                mkdir -p "$home/others"
                for package in "$machine"/*/; do
                  package=$(basename "$package")
                  case $package in quayside.*) ;; *) ln -s "$machine/$package" "$home/others/$package" ;; esac
                done
              fi
              # The program has no UDP and no TCP lines, so their ports would be unknown keys.
              env -u Sources__Udp__Endpoint -u Sources__TcpLines__Endpoint DOTNET_CLI_HOME="$home" NUGET_PACKAGES="$home/packages" NUGET_FALLBACK_PACKAGES="$home/others" \
                MSBUILDDISABLENODEREUSE=1 DOTNET_CLI_USE_MSBUILD_SERVER=0 UseSharedCompilation=false DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 dotnet "$@"
            }
            page=$PWD
            # Programs of this build, where a reader would have them built.
            dotnet() {
              case "$1 ${2-}" in
                "build templates") command dotnet build {{RepositoryFolder.Combine("templates")}} "${@:3}" --no-restore -p:NoBuild=true -p:PackConfiguration={{new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name}} "-p:PackFolder=$PWD/artifacts/"; return ;; # built with the tests
                "test "*|"run --project") newcomer "$@"; return ;;
              esac
              [ "$1 $2 $3 $4" = "run -c Release --project" ] || { echo "not expected: dotnet $*"; return 99; }
              local project=$5; shift 6
              case $project in
                src/Worker) command dotnet {{Assembly("Worker")}} "$@" ;;
                harness) command dotnet {{Assembly("Harness")}} "$@" ;;
                tests/servers/elasticsearch) command dotnet {{Assembly("ElasticsearchServer")}} "$@" ;;
                benchmarks) command dotnet {{Beside("benchmarks", "Benchmarks")}} "$@" ;;
                proof) command dotnet {{Beside("proof", "Proof")}} "$@" ;;
                *) echo "not expected: $project"; return 99 ;;
              esac
            }
            npm() { [ "$*" = ci ]; }
            listens() {
              for _ in $(seq 600); do
                grep -qE '[Ll]istening on|receiving from (Udp|Sqs|Tcp)' "$1" && return
                kill -0 "$2" 2>/dev/null || break
                sleep 0.1
              done
              cat "$1"; return 98
            }

            """);
        int number = 0;
        foreach ((string mark, string text) in Blocks(page))
        {
            string commands =
                Ports.Aggregate(text, (all, port) => Regex.Replace(all, $@"(?<=[:/ ]){port}\b", ports[port].ToString(CultureInfo.InvariantCulture)));
            number++;
            if (mark.Length == 0)
            {
                script.Append(CultureInfo.InvariantCulture, $"{commands}\n");
            }
            else if (mark == "daemon")
            {
                // All but the last command run in the reader's shell, so that exported variables remain; a worker replaces the previous one.
                Match last = LastCommand.Match(commands);
                bool isWorker = last.Value.Contains("src/Worker", StringComparison.Ordinal);
                script.Append(CultureInfo.InvariantCulture, $$"""
                    {{(isWorker ? "[ -z \"$worker\" ] || { finish $worker; worker= ; }" : string.Empty)}}
                    {{commands[..last.Index]}}
                    { mkfifo .input{{number}}; exec 0<>.input{{number}}; {{last.Value.TrimEnd()}}
                    } > .daemon{{number}} 2>&1 &
                    {{(isWorker ? "worker=$!" : "others=\"$others $!\"")}}
                    listens .daemon{{number}} $!

                    """);
            }
        }

        return script.ToString();
    }

    private static string Assembly(string name) => Path.Combine(AppContext.BaseDirectory, $"{name}.dll");

    // A program that is built with the tests, and whose files are not copied to theirs.
    private static string Beside(string project, string name) =>
        RepositoryFolder.Combine(project, "bin", new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name, "net10.0", $"{name}.dll");

    private static IEnumerable<string> FindPages() => Directory.EnumerateFiles(RepositoryFolder.Combine("docs"), "*.md", SearchOption.AllDirectories)
        .Select(file => Path.GetRelativePath(RepositoryFolder.Combine(), file).Replace('\\', '/'))
        .Append(Readme)
        .Order(StringComparer.Ordinal);

    private static IEnumerable<(string Mark, string Text)> Blocks(string page) => Fences(page)
        .Where(fence => fence.Info == "sh" || fence.Info.StartsWith("sh ", StringComparison.Ordinal))
        .Select(fence => (fence.Info[2..].Trim(), fence.Text));

    private static IEnumerable<(string Info, string Text)> Fences(string page)
    {
        string? info = null;
        StringBuilder text = new();
        foreach (string line in File.ReadLines(RepositoryFolder.Combine(page)))
        {
            if (!line.StartsWith("```", StringComparison.Ordinal))
            {
                text.Append(line).Append('\n');
            }
            else if (info is null)
            {
                info = line[3..];
                text.Clear();
            }
            else
            {
                yield return (info, text.ToString());
                info = null;
            }
        }
    }

    [GeneratedRegex(@"^(?:\$ )?(?:dotnet|curl|node|npm|docker|kubectl|aws|export|printf|echo|cat|sed|promtool|bash) ", RegexOptions.Multiline)]
    private static partial Regex Command { get; }

    [GeneratedRegex("-c Release --project ([^ ]+)")]
    private static partial Regex Project { get; }

    [GeneratedRegex("^(?:daemon|not-run: .+)?$")]
    private static partial Regex Mark { get; }

    // Including the lines that it continues.
    [GeneratedRegex(@"(?:^[^\n]*\\\n)*^[^\n]+\n*\z", RegexOptions.Multiline)]
    private static partial Regex LastCommand { get; }
}

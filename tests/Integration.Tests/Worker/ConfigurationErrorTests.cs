namespace Integration.Tests.Worker;

/// <summary>Wrong configuration is named and explained, with its own exit code and never a stack trace.</summary>
public sealed class ConfigurationErrorTests
{
    private const int Usage = 64;
    private const int Wrong = 78;

    private static readonly string[] WrongKeys =
    [
        "--Intake:Concurrency=0",
        "--Intake:BytesInFlight=many",
        "--Sources:Http:BodyTimeout=5",
        "--Sinks:Directory:Pth=elsewhere",
        "--Unknown:Key=1",
        "--Pipeline:Form=Fastest",
        "--Recoverability:BackoffCap=1ms",
        "--Handlers:Archive:Template={Product",
        "--Hosting:Url=ftp://127.0.0.1:1",
        "--Routes:archive:Source=Channel,Http,Carrier-Pigeon",
        "--Sources:Sqs:VisibilityTimeout=5s",
        "--Routes:second:Source=Sqs",
        "--Routes:second:Sink=S3",
    ];

    // Key and value, the allowed values and, where documented, the consequence.
    private static readonly string[][] Explanations =
    [
        ["Intake:Concurrency = \"0\"", "1", "10000", "0 would never receive"],
        ["Intake:BytesInFlight = \"many\"", "a number of bytes such as"],
        ["Sources:Http:BodyTimeout = \"5\"", "a time such as 250ms, 20s"],
        ["Sinks:Directory:Pth: is not a known key", "Did you mean Path?", "It would have no effect."],
        ["Unknown: is not a known key", "It would have no effect."],
        ["Pipeline:Form = \"Fastest\"", "Closure", "Fused"],
        ["Recoverability:BackoffCap = \"1ms\"", "must not be below BackoffBase"],
        ["Handlers:Archive:Template = \"{Product\""],
        ["Hosting:Url = \"ftp://127.0.0.1:1\"", "must be http://address:port"],
        ["Routes:archive:Source = \"Carrier-Pigeon\"", "Channel, Http, RabbitMq, ServiceBus, Sqs, TcpLines, Udp"],
        ["Sources:Sqs:VisibilityTimeout = \"5s\"", "30s", "12h", "messages are redelivered"],
        ["Sources:Sqs:Queue: must be set", "There would be nothing to receive from."],
        ["Sinks:S3:Bucket: must be set"],
    ];

    [Theory]
    [InlineData("validate")]
    [InlineData("")]
    public async Task WrongKeys_NamesEachWithValueRangeAndConsequence_Exits78(string command)
    {
        WorkerCommand result =
            (await WorkerCommand.RunAsync([.. command.Split(' ', StringSplitOptions.RemoveEmptyEntries), .. WrongKeys])).ShouldHaveNoStackTrace();

        result.ExitCode.ShouldBe(Wrong, result.Text);
        string[] problems = [.. result.Error.Split('\n').Where(line => line.StartsWith("  - ", StringComparison.Ordinal))];
        foreach (string[] words in Explanations)
        {
            problems
                .Count(line => words.All(word => line.Contains(word, StringComparison.Ordinal)))
                .ShouldBe(1, $"{string.Join(" | ", words)} in\n{result.Error}");
        }

        problems.Length.ShouldBe(Explanations.Length, result.Error);
        result.Error.ShouldContain($"has {Explanations.Length} problems; nothing was started");
    }

    [Theory]
    [InlineData("publish --cuont 3", "Did you mean --count?")]
    [InlineData("redrive --max 0", "See redrive --help.")]
    [InlineData("validate --reference extra", "'extra' is neither")]
    [InlineData("validate --brief --reference", "exclude each other")]
    [InlineData("publish --to sqs --Sources:Sqs:Queue=q --url http://127.0.0.1:1", "--url http://127.0.0.1:1: has no effect here")]
    [InlineData("redrive --from sqs --route ordrs --Routes:orders:Source=Sqs", "--route ordrs: there is no such route. Did you mean orders?")]
    [InlineData("redrive --id a/b/c", "dead-letters redrive --name NAME sends one.")]
    [InlineData("redrive --to folder", "Name a queue with --from.")]
    [InlineData(
        "redrive --from sqs --to folder --Sources:Sqs:Queue=q --Aws:Region=eu-west-1 --Aws:AccessKeyId=a --Aws:SecretAccessKey=b",
        "name the route with --route.")]
    [InlineData("publish --to sqs --Sources:Sqs:Queue=q --route nosuch", "--route nosuch: there is no such route. Known here: archive.")]
    [InlineData("no-such-command", "'no-such-command' is neither a command")]
    [InlineData("dead-letters lst", "Did you mean list?")]
    [InlineData("dead-letters --reason x list", "Write --reason after list.")]
    [InlineData("--once", "--once requires --demo N")]
    [InlineData("--demo 0", "--demo 0: must be a whole number from 1 to 100000000.")]
    [InlineData("publish --url nowhere", "--url nowhere: must be an address")]
    public async Task WrongUsage_SaysWhatAndExits64(string commandLine, string message)
    {
        WorkerCommand result = (await WorkerCommand.RunAsync(commandLine.Split(' '))).ShouldHaveNoStackTrace();

        result.ExitCode.ShouldBe(Usage, result.Text);
        result.Output.ShouldBeEmpty();
        result.Error.ShouldContain(message);
    }

    [Theory]
    [InlineData("publish --to sqs")]
    [InlineData("redrive --from sqs")]
    public async Task Command_WithoutCredentials_SaysSoInOneLineAndExits77(string commandLine)
    {
        WorkerCommand result =
            (await WorkerCommand.RunAsync([.. commandLine.Split(' '), "--Sources:Sqs:Queue=q", "--Aws:Region=eu-west-1"])).ShouldHaveNoStackTrace();

        result.ExitCode.ShouldBe(77, result.Text);
        result.Error.ShouldContain("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
        result.Error.ShouldNotContain("\\u000a");
        result.Error.Split('\n').Length.ShouldBe(1, result.Error);
    }

    [Fact]
    public async Task Keys_FileEnvironmentAndCommandLine_TheLaterWins()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("config-");
        try
        {
            string file = Path.Combine(folder.FullName, "mine.json");
            await File.WriteAllTextAsync(file, """{ "Intake": { "Concurrency": 11, "MessageTimeout": "11s", "BytesInFlight": "11MiB" } }""");
            var environment =
                new Dictionary<string, string>(StringComparer.Ordinal) { ["Intake__MessageTimeout"] = "12s", ["Intake__BytesInFlight"] = "12MiB" };

            WorkerCommand result = await WorkerCommand.RunAsync(["validate", "--config", file, "--Intake:BytesInFlight", "13MiB"], environment);

            result.ExitCode.ShouldBe(0, result.Text);
            Shown(result, "Intake:Concurrency").ShouldBe("11");
            Shown(result, "Intake:MessageTimeout").ShouldBe("12s");
            Shown(result, "Intake:BytesInFlight").ShouldBe("13MiB");
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task Validate_ProblemsWarningsAndRoutes_AreShownBesideTheSettings()
    {
        WorkerCommand result =
            await WorkerCommand.RunAsync("validate", "--Intake:Concurrency=0", "--Sinks:Directory:Fsync=false", "--Routes:orders:Source=Channel");

        result.ExitCode.ShouldBe(Wrong, result.Text);
        string[] lines = result.Error.Split('\n');
        lines[0].ShouldBe("The configuration has 1 problem; nothing was started:");
        lines.ShouldContain(line => line.StartsWith("warning: Sinks:Directory:Fsync", StringComparison.Ordinal));
        result.Text.ShouldContain("Route orders: from the command line");
        result.Text.ShouldNotContain("Routes:archive:");
        Shown(result, "Routes:orders:Source").ShouldBe("Channel");
    }

    [Fact]
    public async Task Validate_Brief_HasTheVerdictTheProblemsAndALinePerRoute()
    {
        string[] routes = ["--Routes:a:Source=Channel", "--Routes:b:Source=Http,Udp", "--Routes:c:Source=TcpLines", "--Routes:c:Sink=Memory"];

        WorkerCommand valid = await WorkerCommand.RunAsync(["validate", "--brief", .. routes]);
        WorkerCommand wrong = await WorkerCommand.RunAsync(["validate", "--brief", .. routes, "--Routes:a:Source=Chanel"]);

        valid.ExitCode.ShouldBe(0, valid.Text);
        string[] lines = [.. valid.Text.Split('\n').Where(line => !line.StartsWith("warning: ", StringComparison.Ordinal))];
        lines.Length.ShouldBe(4, valid.Text);
        lines[0].ShouldStartWith("The configuration is valid: 3 routes (a, b, c).");
        lines[1..].ShouldBe(
            ["Route a: from the command line; Channel -> Archive -> Directory", "Route b: from the command line; Http, Udp -> Archive -> Directory",
                "Route c: from the command line; TcpLines -> Archive -> Memory"]);
        wrong.ExitCode.ShouldBe(Wrong, wrong.Text);
        wrong.Error.ShouldContain("Routes:a:Source = \"Chanel\": there is no such source");
        wrong.Error.ShouldContain("Did you mean Channel?");
        wrong.Text.ShouldContain("Route a: from the command line; has a problem");
        wrong.Text.Split('\n').Length.ShouldBeLessThan(8, wrong.Text);
    }

    [Fact]
    public async Task Validate_S3WithoutARegion_IsNotValidWhereNoInstanceCanBeAsked()
    {
        string[] route = ["--Routes:a:Source=Channel", "--Routes:a:Sink=S3", "--Sinks:S3:Bucket=bucket"];

        // The first as the start is run here, without an instance to ask; the second as on any machine.
        WorkerCommand wrong = await WorkerCommand.RunAsync(["validate", "--brief", .. route]);
        WorkerCommand open = await WorkerCommand.RunAsync(
            ["validate", "--brief", .. route], new Dictionary<string, string>(StringComparer.Ordinal) { ["AWS_EC2_METADATA_DISABLED"] = "false" });

        wrong.ExitCode.ShouldBe(Wrong, wrong.Text);
        wrong.Error.ShouldContain("Route a, sink S3: No AWS region is known");
        open.ExitCode.ShouldBe(0, open.Text);
    }

    [Fact]
    public async Task Validate_AwsProfileThatDoesNotExist_IsRefusedByNameAsByTheStart()
    {
        string[] route =
            ["--Routes:a:Source=Channel", "--Routes:a:Sink=S3", "--Sinks:S3:Bucket=bucket", "--Aws:Region=eu-west-1", "--Hosting:Url=http://127.0.0.1:0"];
        Dictionary<string, string> environment = new(StringComparer.Ordinal) { ["AWS_PROFILE"] = "no-such-profile", ["AWS_EC2_METADATA_DISABLED"] = "false" };

        WorkerCommand wrong = await WorkerCommand.RunAsync(["validate", "--brief", .. route], environment);
        WorkerCommand started = await WorkerCommand.RunAsync(route, environment);

        wrong.ExitCode.ShouldBe(Wrong, wrong.Text);
        wrong.Error.ShouldContain("Route a, sink S3: AWS_PROFILE: The profile \"no-such-profile\" is not in the shared AWS configuration files.");
        started.ExitCode.ShouldBe(77, started.Error);
        started.Error.ShouldContain("The profile \"no-such-profile\" is not in the shared AWS configuration files");
    }

    [Fact]
    public async Task Start_FolderThatCannotBeWritten_SaysSoAndEnds()
    {
        await using Tmpfs disk = await Tmpfs.MountAsync("1m");
        await disk.RemountAsync("ro");

        const string Port = "--Hosting:Url=http://127.0.0.1:0";
        WorkerCommand objects = await WorkerCommand.RunAsync([$"--Sinks:Directory:Path={disk.Path}", "--DeadLetters:Path=dead-letters", Port]);
        WorkerCommand letters = await WorkerCommand.RunAsync([$"--DeadLetters:Path={disk.Path}/new/dead-letters", "--Sinks:Directory:Path=data", Port]);

        objects.ExitCode.ShouldBeOneOf(69, 77);
        letters.ExitCode.ShouldBeOneOf(69, 77);
        objects.Error.ShouldContain("Read-only file system");
        letters.Error.ShouldContain("Read-only file system");
    }

    [Theory]
    [InlineData("--help")]
    [InlineData("redrive -?")]
    public async Task Help_OfEveryCommand_ShowsHowSettingsAreGiven(string commandLine)
    {
        WorkerCommand help = await WorkerCommand.RunAsync(commandLine.Split(' '));

        help.ExitCode.ShouldBe(0, help.Text);
        help.Text.ShouldNotContain("additional arguments", Case.Insensitive);
        help.Text
            .Split('\n')
            .ShouldContain(
                line => line.TrimStart().StartsWith("Worker ", StringComparison.Ordinal)
                    && line.Contains("[--Section:Key=value ...]", StringComparison.Ordinal));
        foreach (string words in (string[])[
            "--Sinks:Directory:Path=/data", "Sinks__Directory__Path=/data", "--config orders.json", "validate --reference", "docs/reference/configuration.md"])
        {
            help.Text.ShouldContain(words);
        }
    }

    [Theory]
    [InlineData("Sinks__Directory__Pth", "Did you mean Path?")]
    public async Task Environment_MistypedName_IsNamed(string variable, string hint)
    {
        WorkerCommand result = await WorkerCommand.RunAsync(
            ["validate", "--brief", "--Routes:orders:Source=Channel"], new Dictionary<string, string>(StringComparer.Ordinal) { [variable] = "visible" });

        result.Error.ShouldContain(hint);
        result.Error.ShouldNotContain("visible");
    }

    [Fact]
    public async Task LogLevel_OfAnotherName_IsNamed()
    {
        WorkerCommand result = (await WorkerCommand.RunAsync("--Logging:LogLevel:Default=Loud")).ShouldHaveNoStackTrace();

        result.ExitCode.ShouldBe(Wrong, result.Text);
        result.Error.ShouldContain("Logging:LogLevel:Default = \"Loud\": must be one of Trace, Debug");
    }

    [Fact]
    public async Task Start_UnsafeSetting_LogsAWarningAndLaterProgress()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("warnings-");
        try
        {
            await using RunningWorker worker = await RunningWorker.StartAsync(
                ["--Sinks:Directory:Fsync=false", "--Hosting:ReportEvery=100ms"], workingDirectory: folder.FullName);
            await worker.Process.WaitForLineAsync("Sinks:Directory:Fsync = \"false\": acknowledges messages before they are on the disk.");

            await worker.PostAsync("""{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}"""u8.ToArray());

            await worker.Process.WaitForLineAsync("1 stored \\(");
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task Validate_Secrets_AreMasked()
    {
        WorkerCommand result = await WorkerCommand.RunAsync(
            "validate", "--Routes:archive:Source=Sqs", "--Sources:Sqs:Queue=q", "--Routes:archive:Sink=S3", "--Sinks:S3:Bucket=bucket",
            "--Aws:Region=eu-west-1", "--Aws:AccessKeyId=AKIA-visible", "--Aws:SecretAccessKey=visible-secret", "--Aws:SessionToken=visible-token",
            "--Sinks:S3:AccessKeyId=AKIA-visible", "--Sinks:S3:SecretAccessKey=visible-secret", "--Sinks:S3:SessionToken=visible-token");

        result.ExitCode.ShouldBe(0, result.Text);
        result.Text.ShouldNotContain("visible");
        foreach (string key in (string[])[
            "Aws:AccessKeyId", "Aws:SecretAccessKey", "Aws:SessionToken", "Sinks:S3:AccessKeyId", "Sinks:S3:SecretAccessKey", "Sinks:S3:SessionToken"])
        {
            Shown(result, key).ShouldBe("***");
        }
    }

    private static string Shown(WorkerCommand result, string key)
    {
        string line = result.Text.Split('\n').Single(line => line.StartsWith(key + " ", StringComparison.Ordinal));
        return line[(line.IndexOf('=', StringComparison.Ordinal) + 1)..].Replace("(default)", "", StringComparison.Ordinal).Trim();
    }
}

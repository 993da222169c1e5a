using System.Text;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;

namespace Proof.Fuzz.Targets;

/// <summary>Settings, a <c>key=value</c> per line: a plan, or errors that name keys; never an exception.</summary>
internal sealed class SettingsTarget : FuzzTarget
{
    private readonly WorkerDefinition _definition = new(Quayside.Worker.Program.AddFeatures);

    public override int Slowness => 50;

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "Routes:a:Source=Channel\nRoutes:a:Sink=Memory\nPipeline:Parts=a, b",
            "Routes:a:Source=Http\nSinks:Directory:Path=data\nDeadLetters:Path=dead-letters\nBundles:Enabled=true",
            "Routes:a:Source=Sqs\nRoutes:a:Sink=S3\nSources:Sqs:Queue=http://127.0.0.1:4566/000000000000/q\nSources:Sqs:MaxHoldTime=1m\nBundles:Enabled=true\nSinks:S3:Bucket=b\nSinks:S3:AllowPlainHttp=true\nAws:Region=eu-west-1\nAws:Endpoint=http://a:b@127.0.0.1:4566\nAws:AccessKeyId=a\nAws:SecretAccessKey=b",
            "Routes:a:Source=Udp, TcpLines\nRoutes:a:Sink=Memory\nRoutes:b:Source=TcpLines\nRoutes:b:Sources:TcpLines:Endpoint=127.0.0.1:1\nRoutes:b:Intake:Concurrency=10\nRoutes:b:Bundles:Enabled=true\nRoutes:c=",
            "Routes:a:Handler=CloudFront\nRoutes:a:Sink=Elasticsearch\nRoutes:a:Source=Sqs\nSources:Sqs:Queue=q\nAws:Region=eu-west-1\nHandlers:CloudFront:Buckets=b\nSinks:Elasticsearch:Endpoint=https://e\nSinks:Elasticsearch:Index=i",
            "Routes:a:Source=ServiceBus\nSources:ServiceBus:ConnectionString=Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey=Yg==;EntityPath=q",
            "Routes:a=x\nRoutes:b:Intake:Concurrency=10\nIntake:Concurrency=5\nIntake:StartConcurrency=9\nSinks:Directory:Path:x=1\nSinks:Directory=1\nSinks=1",
            "Routes:a:Source=Sqs\nRoutes:a:Sink=Memory\nSources:Sqs:Queue=q\nSinks:Memory:AllowLoss=true"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        .. Texts.Utf8(
            "\nRoutes:a:Source=Sqs", "\nRoutes:a:Source=Http", "\nRoutes:a:Handler=CloudFront", "\nRoutes:a:Sink=Memory", "\nRoutes:a:Sink=S3", "\nRoutes:a:",
            "\nRoutes=", "\n", "=", ":", "0", "-1", "1", "64", "00:00:05", "99.00:00:00", "1.5", "1e9", "true", "False", "64 MiB", "1KB", "é", "\u0000", "*",
            "127.0.0.1:0", "http://[::1]:80/", "{MessageId}", "../", "/", "NaN", new string('9', 30)),
        .. Texts.Utf8(new WorkerDefinition(Quayside.Worker.Program.AddFeatures).Sections.SelectMany(section =>
            section.SettingsType?.GetProperties().Select(property => $"\n{section.Name}:{property.Name}=") ?? [$"\n{section.Name}:"])),
    ];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        Dictionary<string, string?> settings = new(StringComparer.OrdinalIgnoreCase);
        foreach (string line in Encoding.UTF8.GetString(input.Span).Split('\n'))
        {
            int equals = line.IndexOf('=', StringComparison.Ordinal);
            settings[equals < 0 ? line : line[..equals]] = equals < 0 ? null : line[(equals + 1)..];
        }

        // Of the environment a worker reads only what it knows. On the command line every key must be known.
        ConfigurationBuilder configuration = new();
        WorkerPlan plan = _definition.Plan((Hash(input.Span) % 2 == 0
            ? configuration.AddInMemoryCollection(settings)
            : configuration.AddCommandLine([.. settings.Select(setting => $"--{setting.Key}={setting.Value}")])).Build());
        foreach (ConfigurationError error in plan.Errors.Concat(plan.Warnings))
        {
            FuzzException.ThrowUnless(error.Key.Length > 0 && error.Problem.Length > 0, $"An error that names no key or no problem: {error}");
            FuzzException.ThrowUnless(!error.ToString().Any(char.IsControl), $"An error with control characters: {error}");
        }

        return HashCode.Combine(Scale(plan.Errors.Count), Scale(plan.Warnings.Count), plan.Routes.Count, plan.Errors.FirstOrDefault()?.Key.Length);
    }
}

using System.Text;
using Messaging.Configuration;
using Messaging.Hosting;
using Messaging.Routes;
using Microsoft.Extensions.Configuration;

namespace Proof.Fuzz.Targets;

/// <summary>Settings, a <c>key=value</c> per line: a plan, or errors that name keys; never an exception.</summary>
internal sealed class SettingsTarget : FuzzTarget
{
    private readonly WorkerDefinition _definition = new(Worker.Program.AddFeatures);

    public override int Slowness => 50;

    public override IReadOnlyList<Type> Parser { get; } = [typeof(WorkerPlanner), typeof(SettingsReader), typeof(SettingText), typeof(SettingsCheck), typeof(ConfigurationError), typeof(GatheringRules), typeof(RouteRules), typeof(PartSelection)];

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "Worker:Source=channel\nWorker:Sink=memory", "Worker:Source=http\nWorker:Sink=directory\nSinks:Directory:Path=data\nDeadLetters:Path=dead-letters",
            "Worker:Source=sqs\nWorker:Sink=s3\nSources:Sqs:QueueUrl=http://127.0.0.1:4566/000000000000/q\nSinks:S3:Bucket=b\nAws:Region=eu-west-1\nAws:AccessKeyId=a\nAws:SecretAccessKey=b",
            "Routes:a:Source=udp\nRoutes:a:Handler=archive\nRoutes:a:Sink=memory\nRoutes:b:Source=tcplines\nRoutes:b:Sink=directory",
            "Worker:Handler=cloudfront\nWorker:Sink=elasticsearch\nWorker:Source=sqs", "Worker:Source=servicebus\nSources:ServiceBus:ConnectionString=Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey=Yg==;EntityPath=q"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        .. Texts.Utf8(
            "\n", "=", ":", "0", "-1", "1", "64", "00:00:05", "99.00:00:00", "1.5", "1e9", "true", "False", "64 MiB", "1KB", "é", "\u0000", "*", "127.0.0.1:0", "http://[::1]:80/", "{MessageId}", "../", "/", "NaN", new string('9', 30)),
        .. Texts.Utf8(new WorkerDefinition(Worker.Program.AddFeatures).Sections.SelectMany(section =>
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

        WorkerPlan plan = _definition.Plan(new ConfigurationBuilder().AddInMemoryCollection(settings).Build());
        foreach (ConfigurationError error in plan.Errors.Concat(plan.Warnings))
        {
            FuzzException.ThrowUnless(error.Key.Length > 0 && error.Problem.Length > 0, $"An error that names no key or no problem: {error}");
            FuzzException.ThrowUnless(!error.ToString().Any(char.IsControl), $"An error with control characters: {error}");
        }

        return HashCode.Combine(Scale(plan.Errors.Count), Scale(plan.Warnings.Count), plan.Routes.Count, plan.Errors.FirstOrDefault()?.Key.Length);
    }
}

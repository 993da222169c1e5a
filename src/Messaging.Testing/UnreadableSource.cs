using System.Text.Json;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <summary>A source under test in a worker; messages that begin with <see cref="Mark"/> get a body that throws.</summary>
internal sealed class UnreadableSource(IMessageSource source) : ISourceFeature, IMessageSource
{
    public const string Mark = "unreadable";
    public const string Reason = "unsupported-body";
    public const string Route = "contract";

    string ISourceFeature.Name => "UnderTest";

    public string? Problem => source.Problem;

    public IReadOnlyList<SettingsSection> Settings => [];

    public static IHost BuildHost(IMessageSource source, int slots) => TestHost.Build(
        worker => worker.AddSource(new UnreadableSource(source)).AddHandler<JsonElement, CompletingHandler>("Completing", AnyJson.Default.JsonElement),
        [new($"Routes:{Route}:Source", "UnderTest"), new($"Routes:{Route}:Handler", "Completing"), new("Intake:Concurrency", $"{slots}")],
        new RecordingLog(),
        new MemoryDeadLetters(),
        TimeProvider.System);

    public SourcePlan Configure(SettingsReader settings, string route) => new() { Create = _ => this, OnComplete = CompletionEffect.None };

    public Task CheckAsync(CancellationToken cancellationToken) => source.CheckAsync(cancellationToken);

    public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) => source.ReceiveAsync(Wrap(intake), stopReceiving);

    public Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining) => source.DrainAsync(Wrap(intake), stopDraining);

    public Task CloseAsync(CancellationToken cancellationToken) => source.CloseAsync(cancellationToken);

    public ValueTask DisposeAsync() => source.DisposeAsync();

    private ForwardingIntake Wrap(IMessageIntake intake) =>
        new(intake, message => message.Body.Span.StartsWith("unreadable"u8) ? new UnreadableMessage(message) : message);
}

/// <summary>A message whose body throws when it is read; it is settled as the source's own.</summary>
internal sealed class UnreadableMessage(ReceivedMessage message) : ReceivedMessage
{
    public override ReadOnlyMemory<byte> Body => throw new DeadLetterException(UnreadableSource.Reason, "The body cannot be read.");

    public override ReadOnlyMemory<byte> SourceId => message.SourceId;

    public override int DeliveryCount => message.DeliveryCount;

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
        message.SettleAsync(settlement, cancellationToken);
}

/// <summary>Completes every message.</summary>
internal sealed class CompletingHandler : IMessageHandler<JsonElement>
{
    public ValueTask<Settlement> HandleAsync(JsonElement message, MessageInfo info, CancellationToken cancellationToken) => new(Settlement.Complete);
}

using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Telemetry;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Quayside.Messaging.RabbitMq;

/// <summary>
/// Moves messages from the dead-letter queue to the queue, or to the folder: publishes or stores first and acknowledges afterwards, so that a crash
/// duplicates a message but never loses one. It looks at those that were there at the start; those that stay are requeued at the end.
/// </summary>
internal sealed class RabbitMqRedrive(IChannel letters, IChannel queue, RabbitMqSourceOptions options, RedriveRequest request, CommandServices services)
{
    // This many failed calls in a row show that the broker fails, not the dead letters.
    private const int FailedCalls = 5;

    private static readonly TimeSpan StopLimit = TimeSpan.FromSeconds(3);

    private readonly HashSet<string> _sent = new(StringComparer.Ordinal);
    private int _failedCalls;

    /// <exception cref="Configuration.StartupException">A queue is missing, or the broker refuses access or is unreachable.</exception>
    public static async Task<RedriveResult> RunAsync(
        RabbitMqSourceOptions options, RedriveRequest request, CommandServices services, CancellationToken cancellationToken)
    {
        IConnection connection = await RabbitMqBroker.OpenAsync(options, "redrive to", [options.Queue, options.DeadLetters], services.Error, cancellationToken);
        try
        {
            IChannel letters = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
            uint total = await letters.MessageCountAsync(options.DeadLetters, cancellationToken);
            RabbitMqRedrive redrive = new(letters, await connection.CreateConfirmingChannelAsync(cancellationToken), options, request, services);
            RedriveProgress progress = new(request, total, services.Time, services.Output);
            request.Started?.Invoke(progress);
            return await redrive.RunAsync(progress, total, cancellationToken);
        }
        catch (Exception exception) when (RabbitMqFault.IsOne(exception))
        {
            throw RabbitMqFault.Of(exception).ToStartupException(options);
        }
        finally
        {
            // The dead letters that stay are requeued with it.
            await RabbitMqBroker.CloseAsync(connection);
        }
    }

    private async Task<RedriveResult> RunAsync(RedriveProgress progress, uint total, CancellationToken stop)
    {
        string? ended = null;
        try
        {
            for (uint seen = 0; seen < total && !progress.HasAll && ended is null; seen++)
            {
                if (await letters.BasicGetAsync(options.DeadLetters, autoAck: false, stop) is not { } letter)
                {
                    // Another receiver took the rest.
                    break;
                }

                ended = await LookAtAsync(letter, progress, stop);
            }

            if (ended is null && !request.DryRun && !progress.HasAll)
            {
                await LookAtNewcomersAsync(progress, stop);
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            ended = RedriveProgress.Interrupted;
        }
        catch (Exception exception) when (RabbitMqFault.IsOne(exception))
        {
            ended = $"{RabbitMqFault.Of(exception).ToString().TrimEnd('.')}. Run redrive again for the rest.";
        }

        return progress.ToResult(ended);
    }

    /// <returns>Why the redrive ends; null while it goes on.</returns>
    private async Task<string?> LookAtAsync(BasicGetResult letter, RedriveProgress progress, CancellationToken stop)
    {
        string reason = ReasonOf(letter);
        string name = NameOf(letter);
        if (!progress.Wants(name, reason, Shown(reason)))
        {
            return null;
        }

        progress.AddFound(Shown(reason));
        if (request.DryRun)
        {
            progress.List(
                $"{Shown(reason)}  {name}", RabbitMqHeaders.Find(letter.BasicProperties, RabbitMqHeaders.Description), letter.Body.Span, letter.Body.Length);
            progress.Report();
            return null;
        }

        await progress.WaitForRateAsync(stop);
        stop.ThrowIfCancellationRequested();

        // After a signal a running call gets time to end: what was published must also be acknowledged here.
        using CancellationTokenSource call = new(Timeout.InfiniteTimeSpan, services.Time);
        await using CancellationTokenRegistration link = stop.UnsafeRegister(static source => ((CancellationTokenSource)source!).CancelAfter(StopLimit), call);
        if (request.Folder is { } folder)
        {
            if (RabbitMqHeaders.FindWithoutText(letter.BasicProperties) is { } header)
            {
                progress.AddLeft(
                    name, $"its header {UntrustedText.Shorten(header)} is a table or a list, which the folder cannot keep. "
                        + "Redrive it to the queue, without --to folder");
                return null;
            }

            if (await folder.KeepAsync(
                RabbitMqHeaders.Record(letter.BasicProperties, IdOf(letter), reason, services.Time.GetUtcNow()), letter.Body, call.Token) is { } error)
            {
                progress.AddLeft(name, error);
                return folder.Ended;
            }

            return await AcknowledgeAsync(letter, progress);
        }

        try
        {
            await queue.BasicPublishAsync(
                string.Empty, options.Queue, mandatory: true, RabbitMqHeaders.Redriven(letter.BasicProperties), letter.Body, call.Token);
        }
        catch (Exception exception) when (exception is PublishException || call.IsCancellationRequested)
        {
            progress.AddLeft(
                name, exception is PublishException
                    ? RabbitMqFault.TextOf(exception)
                    : "no answer before the interrupted command had to end; it may have been sent");
            return ++_failedCalls < FailedCalls ? null : $"{_failedCalls} sends in a row failed. Run redrive again when the queue accepts messages.";
        }

        _sent.Add(name);
        return await AcknowledgeAsync(letter, progress);
    }

    private async Task<string?> AcknowledgeAsync(BasicGetResult letter, RedriveProgress progress)
    {
        _failedCalls = 0;
        await letters.BasicAckAsync(letter.DeliveryTag, multiple: false, CancellationToken.None);
        progress.AddSent(toQueue: !request.ToFolder);
        return null;
    }

    /// <summary>Those that arrived since the start: which of them this run has sent.</summary>
    private async Task LookAtNewcomersAsync(RedriveProgress progress, CancellationToken stop)
    {
        int others = 0;
        for (uint left = await letters.MessageCountAsync(options.DeadLetters, stop);
            left > 0 && await letters.BasicGetAsync(options.DeadLetters, autoAck: false, stop) is { } letter;
            left--)
        {
            if (_sent.Contains(NameOf(letter)))
            {
                progress.AddAgain(NameOf(letter), Shown(ReasonOf(letter)));
            }
            else
            {
                others++;
            }
        }

        if (others > 0)
        {
            progress.AddNote($"{others:N0} dead letter(s) arrived while redrive ran; they stay.");
        }
    }

    private static string ReasonOf(BasicGetResult letter) =>
        RabbitMqHeaders.Find(letter.BasicProperties, RabbitMqHeaders.Reason)
            ?? RabbitMqHeaders.Find(letter.BasicProperties, "x-first-death-reason")
            ?? string.Empty;

    private static string Shown(string reason) => reason.Length == 0 ? "(no reason)" : UntrustedText.Shorten(reason);

    private static string NameOf(BasicGetResult letter) => UntrustedText.Shorten(IdOf(letter));

    private static string IdOf(BasicGetResult letter)
    {
        if (letter.BasicProperties.MessageId is { Length: > 0 } id)
        {
            return id;
        }

        Span<byte> made = stackalloc byte[Sources.ContentId.Length];
        Sources.ContentId.Write(letter.Body.Span, made);
        return System.Text.Encoding.ASCII.GetString(made);
    }
}

using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using Messaging.Http.Source;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Proof.Simulation;

namespace Proof.Models;

/// <summary>
/// Programs that post one message each and send it again until it is answered with 200 or 422: slowly, in pieces, and over connections
/// that break. A worker's process is reached through its endpoint, without Kestrel.
/// </summary>
internal sealed class Callers(World world)
{
    private readonly List<Exchange> _open = [];

    /// <summary>Messages whose caller was not told yet that they are kept.</summary>
    public int Unanswered { get; private set; }

    /// <summary>Called with each message whose caller was told that it is kept.</summary>
    public required Action<QueuedMessage> Answered { get; init; }

    /// <summary>The endpoint of a process that listens; null while none does.</summary>
    public required Func<(MessagesEndpoint Endpoint, ProcessTime Process)?> Connect { get; init; }

    public void Send(QueuedMessage message)
    {
        Unanswered++;
        Post(message);
    }

    /// <summary>Breaks the connections of a process that has ended.</summary>
    public void Break(ProcessTime process)
    {
        foreach (Exchange exchange in _open.Where(exchange => exchange.Process == process).ToArray())
        {
            exchange.Break();
        }
    }

    private void Post(QueuedMessage message)
    {
        if (Connect() is not { } worker)
        {
            PostAgain(message);
            return;
        }

        world.Trace("post", message.Id);
        Exchange exchange = new(world, message, worker.Process);
        _open.Add(exchange);
        exchange.Ended = status =>
        {
            _open.Remove(exchange);
            world.Trace(string.Create(CultureInfo.InvariantCulture, $"answer {status}"), message.Id);
            if (status is StatusCodes.Status200OK or StatusCodes.Status422UnprocessableEntity)
            {
                Unanswered--;
                Answered(message);
            }
            else if (status is 0 or StatusCodes.Status503ServiceUnavailable or StatusCodes.Status429TooManyRequests or StatusCodes.Status408RequestTimeout)
            {
                PostAgain(message);
            }
            else
            {
                world.Fail($"a caller was answered {status}");
            }
        };
        exchange.Begin(worker.Endpoint);
    }

    private void PostAgain(QueuedMessage message) => world.Time.Schedule(TimeSpan.FromSeconds(0.2 + (world.Random.NextDouble() * 5)), () => Post(message));

    /// <summary>One request and its answer.</summary>
    private sealed class Exchange : IHttpRequestLifetimeFeature, IRequestBodyPipeFeature
    {
        private readonly World _world;
        private readonly QueuedMessage _message;
        private readonly Pipe _body = new();
        private readonly CancellationTokenSource _aborted = new();
        private readonly bool _losesAnswer;
        private bool _isOver;

        public Exchange(World world, QueuedMessage message, ProcessTime process)
        {
            _world = world;
            _message = message;
            Process = process;
            _losesAnswer = world.Random.NextDouble() < world.QueueFaults.LostAnswer;
            RequestAborted = _aborted.Token;
        }

        public ProcessTime Process { get; }

        /// <summary>Called once with the status; 0 without an answer.</summary>
        public Action<int> Ended { get; set; } = _ => { };

        public CancellationToken RequestAborted { get; set; }

        public PipeReader Reader => _body.Reader;

        public void Begin(MessagesEndpoint endpoint)
        {
            DefaultHttpContext context = new();
            context.Features.Set<IHttpRequestLifetimeFeature>(this);
            context.Features.Set<IRequestBodyPipeFeature>(this);
            context.Request.Method = HttpMethods.Post;
            context.Request.ContentLength = _message.Body.Length;
            context.Response.Body = new MemoryStream();
            SendBody();
            Answer(endpoint.HandleAsync(context), context);
        }

        /// <summary>Breaks the connection for both sides.</summary>
        public void Break()
        {
            if (!_isOver)
            {
                End(0);
            }

            _aborted.Cancel();
        }

        public void Abort() => Break();

        private void SendBody()
        {
            int half = _world.Random.Next(_message.Body.Length);
            _body.Writer.Write(_message.Body.AsSpan(0, half));
            _ = _body.Writer.FlushAsync().AsTask();
            double fate = _world.Random.NextDouble();
            TimeSpan rest = _world.Random.NextDouble() < _world.QueueFaults.Slow ? TimeSpan.FromSeconds(_world.Random.Next(1, 60)) : TimeSpan.FromMilliseconds(_world.Random.Next(50));
            if (rest >= TimeSpan.FromSeconds(1))
            {
                _world.Meets(Fault.HttpIsSlow);
            }

            if (fate < _world.QueueFaults.LostRequest)
            {
                _world.Meets(Fault.HttpBreaks);
                _world.Time.Schedule(rest, () =>
                {
                    _body.Writer.Complete(new ConnectionAbortedException());
                    Break();
                });
            }
            else if (fate >= _world.QueueFaults.LostRequest + _world.QueueFaults.Stall)
            {
                _world.Time.Schedule(rest, () =>
                {
                    _body.Writer.Write(_message.Body.AsSpan(half));
                    _body.Writer.Complete();
                });
            }
            else
            {
                _world.Meets(Fault.HttpStalls);
            }
        }

        private async void Answer(Task handling, DefaultHttpContext context)
        {
            try
            {
                await handling;
            }
            catch (Exception exception)
            {
                _world.Fail($"the endpoint threw {exception}");
                return;
            }

            if (_isOver || !Process.IsAlive)
            {
                return;
            }

            if (context.Response.StatusCode == StatusCodes.Status200OK && !Encoding.UTF8.GetString(((MemoryStream)context.Response.Body).ToArray()).Contains("\"stored\"", StringComparison.Ordinal))
            {
                _world.Fail("a caller was answered 200 without \"stored\"");
            }

            if (_losesAnswer)
            {
                _world.Meets(Fault.HttpLosesAnswer);
            }

            End(_losesAnswer ? 0 : context.Response.StatusCode);
        }

        private void End(int status)
        {
            _isOver = true;
            TimeSpan latency = TimeSpan.FromMilliseconds(1 + (_world.Random.NextDouble() * 20));
            _world.Time.Schedule(latency, () => Ended(status));
        }
    }
}
